import { useQuery } from '@tanstack/react-query'
import { useLanguage } from '../../i18n/texts.ts'
import type { Setting } from './queries.ts'

/** What a setting does, in the reader's language; `lang` is that of the text where it is another. */
export type Words = { text: string; lang?: 'en' }

/** The service declares its settings in English; other languages stand here, by the path of each. */
const translations = { de: () => import('./settings.de.json') }

export function useSettingWords(): (setting: Pick<Setting, 'path' | 'description'>) => Words {
  const [language] = useLanguage()
  const { data } = useQuery({
    queryKey: ['configuration-words', language],
    queryFn: async (): Promise<Record<string, string>> =>
      language === 'en' ? {} : (await translations[language]()).default,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return ({ path, description }) => {
    const text = data?.[path]
    return text === undefined ? { text: description, lang: 'en' } : { text }
  }
}
