type Named = { uid: string; givenName: string; sn: string }

export function nameOf({ uid, givenName, sn }: Named): string {
  return [givenName, sn].filter(Boolean).join(' ') || uid
}

/** Milliseconds of an LDAP date, YYYYMMDDHHMMSSZ; undefined for none. */
export function millisecondsOf(timestamp: string | undefined): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/
    .exec(timestamp ?? '')
    ?.slice(1)
    .map(Number)
  if (!parts) return undefined
  const [year = 0, month = 1, day = 1, hour, minute, second] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The first few of many, and how many more there are. */
export function firstOf(names: readonly string[], shown = 5): { names: string; more: number } {
  return { names: names.slice(0, shown).join(', '), more: Math.max(0, names.length - shown) }
}
