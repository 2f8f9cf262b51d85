import type { Filter } from './queries.ts'

/** Whom to write to, as it is chosen; `names` are groups or usernames. */
export type Choice = { who: Filter['filter_type']; names: string[]; activeOnly: boolean }

/** The choice as the API takes it; undefined where it names nobody yet. */
export function filterOf({ who, names, activeOnly }: Choice): Filter | undefined {
  if (who === 'all_active' || who === 'all')
    return { filter_type: who, filter_value: '', active_only: who === 'all' && activeOnly }
  if (names.length === 0) return undefined
  const filter_value = who === 'group' ? names.join(',') : JSON.stringify(names)
  return { filter_type: who, filter_value, active_only: who === 'group' && activeOnly }
}

/** The choice that a filter was. */
export function choiceOf({ filter_type: who, filter_value, active_only: activeOnly }: Filter): Choice {
  return { who, activeOnly, names: namesIn(who, filter_value) }
}

function namesIn(who: Filter['filter_type'], value: string): string[] {
  if (who === 'group') return value.split(',').map((name) => name.trim())
  return who === 'users' ? (JSON.parse(value) as string[]) : []
}
