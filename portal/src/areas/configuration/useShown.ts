import { useTranslation } from 'react-i18next'
import type { Setting } from './queries.ts'

/** A value in words: nothing of a secret, and for a switch whether it is on. */
export function useShown(): (setting: Pick<Setting, 'secret'>, value: unknown) => string {
  const { t } = useTranslation('configuration')
  return ({ secret }, value) => {
    if (secret) return t('secret')
    if (typeof value === 'boolean') return t(value ? 'on' : 'off')
    const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
    return text === '' ? t('empty') : text
  }
}
