/** Seconds since the epoch of an LDAP generalized time (RFC 4517 section 3.3.13); NaN when it is none. */
export function parseTime(value: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?/.exec(value)?.slice(1)
  if (!parts) return Number.NaN
  const [year = 0, month = 1, day, hour, minute, second] = parts.map((part) => Number(part ?? 0))
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000
}

/** `YYYYMMDDHHMMSSZ` */
export function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().replace(/\D/g, '').slice(0, 14)}Z`
}
