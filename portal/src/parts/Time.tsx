import { useTranslation } from 'react-i18next'

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** How long ago or until then, with the whole date for those who point at it. `at` in milliseconds. */
export function Time({ at }: { at: number }) {
  const { i18n } = useTranslation()
  const seconds = Math.round((at - Date.now()) / 1000)
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  const said = new Intl.RelativeTimeFormat(i18n.language, { numeric: 'auto' }).format(
    unit === 'second' ? 0 : Math.trunc(seconds / size),
    unit,
  )
  return (
    <time dateTime={new Date(at).toISOString()} title={wholeDate(at, i18n.language)}>
      {said}
    </time>
  )
}

export function wholeDate(at: number, language: string, timeStyle: 'short' | 'medium' = 'short'): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle }).format(at)
}
