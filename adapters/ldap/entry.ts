import type { Entry } from 'ldapts'
import { Attribute, Change } from 'ldapts'

/** All values of an attribute, whatever the case of its name and however many there are. */
export function valuesOf(entry: Entry, attribute: string): string[] {
  const value = entry[attribute] ?? entry[keyOf(entry, attribute)]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

export function firstOf(entry: Entry, attribute: string): string | undefined {
  const value = entry[attribute]
  return typeof value === 'string' ? value : valuesOf(entry, attribute)[0]
}

function keyOf(entry: Entry, attribute: string): string {
  const wanted = attribute.toLowerCase()
  return Object.keys(entry).find((key) => key.toLowerCase() === wanted) ?? attribute
}

/** Attributes of a new entry; empty ones are left out, which the directory would refuse (21). */
export function attributesOf(values: Record<string, string | string[] | undefined>): Attribute[] {
  return Object.entries(values).flatMap(([type, value]) => {
    const present = (Array.isArray(value) ? value : [value ?? '']).filter((each) => each !== '')
    return present.length === 0 ? [] : [new Attribute({ type, values: present })]
  })
}

export function add(type: string, ...values: string[]): Change {
  return new Change({ operation: 'add', modification: new Attribute({ type, values }) })
}

/** Deletes these values; 16 when one of them is not there. */
export function take(type: string, ...values: string[]): Change {
  return new Change({ operation: 'delete', modification: new Attribute({ type, values }) })
}

/** Without values the attribute goes, and it is no error when it was not there. */
export function replace(type: string, ...values: string[]): Change {
  return new Change({ operation: 'replace', modification: new Attribute({ type, values }) })
}
