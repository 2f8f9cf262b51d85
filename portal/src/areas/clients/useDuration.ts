import { useTranslation } from 'react-i18next'

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** Says seconds as people would: “30 days”, “1 hour 30 minutes”. */
export function useDuration() {
  const { i18n } = useTranslation()
  return (seconds: number): string => {
    if (!Number.isFinite(seconds) || seconds < 1) return '–'
    let rest = Math.round(seconds)
    const said = units.flatMap(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      if (count === 0) return []
      return new Intl.NumberFormat(i18n.language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
    })
    return said.slice(0, 2).join(' ')
  }
}
