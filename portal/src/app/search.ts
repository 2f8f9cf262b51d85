/** The address as people read it: plain text, no JSON; a name given twice is a list. */
export function readSearch(search: string): Record<string, string | string[]> {
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const all = given.getAll(name)
      return [name, all.length === 1 ? (all[0] as string) : all]
    }),
  )
}

export function writeSearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined || each === '' ? [] : [[name, String(each)]])),
  )
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

/** What an address says under a name; `undefined` for none. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** One of `values`, or `undefined`: an address may have been typed. */
export function oneOf<const V extends string>(values: readonly V[], value: unknown): V | undefined {
  return values.find((each) => each === value)
}

type Read<S> = (given: Record<string, unknown>) => S

/** What a screen may keep in the address and need not, so that a link to it needs no `search`. */
export function kept<S extends object>(read: Read<S>): Read<Partial<S>> {
  return read
}

/** The same of lists that are loaded whole: what is searched for, the order, and filters by these names. */
export function listSearch(...names: string[]): Read<{ [name: string]: string | undefined }> {
  return (given) => Object.fromEntries(['q', 'sort', ...names].map((name) => [name, text(given[name])]))
}
