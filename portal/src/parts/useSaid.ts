import { useTranslation } from 'react-i18next'
import { Failure } from '../api/failure.ts'
import { useRefused } from './useRefused.ts'

/** What went wrong as a plain sentence in the reader's language, and the id under which the log tells the rest. */
export function useSaid() {
  const { t, i18n } = useTranslation()
  const refused = useRefused()
  return (error: unknown): { sentence: string; requestId?: string } => {
    if (!(error instanceof Failure)) return { sentence: t('errors.InternalError') }
    const key = `errors.${error.name}`
    const known = i18n.exists(key) ? String(t(key as 'errors.InternalError')) : error.message
    // Of these the sentence of the API says more: which field, and why.
    const isDetailed = error.name === 'InvalidInput' || error.name === 'Conflict'
    const sentence = isDetailed ? (refused(error.message) ?? `${known} ${error.message}`) : known
    return { sentence, ...(error.requestId ? { requestId: error.requestId } : {}) }
  }
}
