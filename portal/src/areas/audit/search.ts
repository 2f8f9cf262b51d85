/** How an event can have ended. */
export const outcomes = ['ok', 'refused', 'failed'] as const

/** A day as the address and a date field have it; undefined for what is none. */
export function day(given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(given)) return undefined
  return Number.isNaN(startOf(given)) ? undefined : given
}

/** When a day begins where the reader is, milliseconds. */
export function startOf(day: string): number {
  return new Date(`${day}T00:00:00`).getTime()
}

/** Its last millisecond; days of 23 and 25 hours count. */
export function endOf(day: string): number {
  const next = new Date(`${day}T00:00:00`)
  next.setDate(next.getDate() + 1)
  return next.getTime() - 1
}
