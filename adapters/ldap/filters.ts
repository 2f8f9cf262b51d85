import type { Filter } from 'ldapts'
import {
  AndFilter,
  EqualityFilter,
  FilterParser,
  GreaterThanEqualsFilter,
  LessThanEqualsFilter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from 'ldapts'
import { plainName } from './names.ts'

/**
 * Search filters, always built as objects: a value never meets the filter's grammar, so there is nothing to escape
 * (RFC 4515). Only the operator's own filters of the configuration are parsed.
 */
export const equals = (attribute: string, value: string) => new EqualityFilter({ attribute, value })
export const all = (...filters: Filter[]) => new AndFilter({ filters })
export const any = (filters: Filter[]) => new OrFilter({ filters })
export const not = (filter: Filter) => new NotFilter({ filter })
export const present = (attribute: string) => new PresenceFilter({ attribute })
export const atLeast = (attribute: string, value: string) => new GreaterThanEqualsFilter({ attribute, value })
export const atMost = (attribute: string, value: string) => new LessThanEqualsFilter({ attribute, value })
/** Matches no entry. */
export const nobody = not(present('objectClass'))
export const parseFilter = (text: string): Filter => FilterParser.parseString(text)

/**
 * One or two characters match beginnings, longer ones anywhere (contract section 1, paging). What nobody can see matches
 * nothing: slapd would leave it out and find the rest.
 */
export function matches(attributes: string[], text: string): Filter {
  const q = plainName(text)
  if (q === undefined) return nobody
  const part = [...q].length <= 2 ? { initial: q } : { any: [q] }
  return any(attributes.map((attribute) => new SubstringFilter({ attribute, ...part })))
}

/** Values that fit into one OR filter: more are slower to parse, fewer are more round trips. */
export function chunks<T>(items: T[], size = 50): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  )
}
