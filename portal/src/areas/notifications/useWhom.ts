import { useTranslation } from 'react-i18next'
import { choiceOf } from './filter.ts'
import type { Filter } from './queries.ts'

/** Whom a notification went to, in words: the first few by name. */
export function useWhom(): (filter: Filter) => string {
  const { t } = useTranslation('notifications')
  return (filter) => {
    const { who, names, activeOnly } = choiceOf(filter)
    if (who === 'all_active' || (who === 'all' && activeOnly)) return t('whom.all_active')
    if (who === 'all') return t('whom.all')
    const shown = names.slice(0, 3).join(', ')
    const more = names.length > 3 ? ` ${t('whom.more', { count: names.length - 3 })}` : ''
    return t(activeOnly ? 'whom.groupActive' : `whom.${who}`, { names: `${shown}${more}` })
  }
}
