import { useQuery } from '@tanstack/react-query'
import type { i18n } from 'i18next'
import { useTranslation } from 'react-i18next'

/** What a sentence says by which the API refused a value, in the reader's language; undefined where that is not known. */
export function useRefused(): (sentence: string) => string | undefined {
  const { i18n } = useTranslation()
  // Nothing of it is loaded before something was refused.
  const { data } = useQuery({
    queryKey: ['refused', i18n.language],
    queryFn: async () => {
      const [{ readRefusal }] = await Promise.all([import('./refused.ts'), i18n.loadNamespaces('refused')])
      return (sentence: string) => {
        const refusal = readRefusal(sentence)
        if (!refusal) return undefined
        const { key, values } = refusal
        return i18n.t(`said.${key}`, { ns: 'refused', ...values, field: fieldName(i18n, values.field ?? '') })
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (sentence) => data?.(sentence)
}

/** What a field of the API is called on the screens; one that has no name there by its own: `redirect_uris.0`. */
function fieldName(i18n: i18n, field: string): string {
  const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field
  const key = `fields.${name}`
  return i18n.exists(key, { ns: 'refused' }) ? i18n.t(key as 'fields.mail', { ns: 'refused' }) : field
}
