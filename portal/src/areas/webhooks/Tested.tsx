import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle, IconCheck } from '../../parts/icons.tsx'
import type { Delivery } from './queries.ts'

/** What came of a message that was sent now. */
export function Tested({ delivery: { status, response_status, error } }: { delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const isTaken = status === 'delivered'
  return (
    <Alert
      color={isTaken ? 'green' : 'red'}
      icon={isTaken ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(isTaken ? 'test.taken' : 'test.failed')}
    >
      {response_status !== null && t('test.status', { status: response_status })}{' '}
      {error && <span lang="en">{error}</span>}
    </Alert>
  )
}
