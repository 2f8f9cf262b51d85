export type ObjectClass = { name: string; kind: 'ABSTRACT' | 'STRUCTURAL' | 'AUXILIARY'; must: Set<string> }

/** What a server's subschema (RFC 4512 section 4.2) says about classes and attributes; names in lower case. */
export type Schema = { classes: Map<string, ObjectClass>; attributes: Set<string> }

export function parseSchema(objectClasses: string[], attributeTypes: string[]): Schema {
  const classes = new Map<string, ObjectClass>()
  for (const definition of objectClasses) {
    const text = withoutDescription(definition)
    const kind = (/\b(ABSTRACT|AUXILIARY)\b/.exec(text)?.[1] ?? 'STRUCTURAL') as ObjectClass['kind']
    const must = new Set(listAfter('MUST', text))
    for (const name of namesIn(text)) classes.set(name.toLowerCase(), { name, kind, must })
  }
  const attributes = attributeTypes.flatMap((definition) => namesIn(withoutDescription(definition)))
  return { classes, attributes: new Set(attributes.map((name) => name.toLowerCase())) }
}

/** A description may hold any word, `MUST` and `AUXILIARY` too. */
function withoutDescription(definition: string): string {
  return definition.replace(/\bDESC '[^']*'/, '')
}

function namesIn(definition: string): string[] {
  const names = /\bNAME (?:'([^']+)'|\(([^)]*)\))/.exec(definition)
  return names ? (names[1] ?? names[2] ?? '').split(/[\s']+/).filter(Boolean) : []
}

function listAfter(keyword: string, definition: string): string[] {
  const list = new RegExp(`\\b${keyword} (?:\\(([^)]*)\\)|([^\\s)]+))`).exec(definition)
  return (list?.[1] ?? list?.[2] ?? '')
    .toLowerCase()
    .split(/[\s$]+/)
    .filter(Boolean)
}
