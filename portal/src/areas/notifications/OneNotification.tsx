import './notifications.css'
import { Alert, Button, Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconPencil } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { wholeDate } from '../../parts/Time.tsx'
import { MailPreview } from './MailPreview.tsx'
import type { Notification } from './queries.ts'
import { isUnderWay, notification, recipients } from './queries.ts'
import { State } from './State.tsx'
import { useWhom } from './useWhom.ts'

/** One notification: how far it is, whom it did not reach, and what it said. */
export function OneNotification() {
  const { t, i18n } = useTranslation('notifications')
  const whom = useWhom()
  const { id } = useParams({ from: '/admin/notifications/$id' })
  const { data: one, error, refetch } = useQuery(notification(id))
  return (
    <>
      <BackTo to="/admin/notifications" label={t('title')} />
      {error && !one && <Failed error={error} onRetry={refetch} />}
      {!error && !one && <Loading rows={2} height={200} />}
      {one && (
        <>
          <PageHead
            title={one.subject}
            lead={`${whom(one)} · ${t('by', { by: one.created_by })} · ${wholeDate(one.created_on, i18n.language)}`}
            actions={
              <Button
                renderRoot={(props) => (
                  <Link to="/admin/notifications/new" search={{ like: one.notification_id }} {...props} />
                )}
                variant="default"
                leftSection={<IconPencil size={18} stroke={1.75} aria-hidden />}
              >
                {t('again')}
              </Button>
            }
          />
          <Delivery one={one} />
          <Panel title={t('preview.sent')}>
            <MailPreview subject={one.subject} message={one.message} />
          </Panel>
        </>
      )}
    </>
  )
}

function Delivery({ one }: { one: Notification }) {
  const { t } = useTranslation('notifications')
  const underWay = isUnderWay(one)
  const { data: of } = useQuery(recipients(one.notification_id, underWay))
  const done = one.sent_count + one.failed_count
  const total = Math.max(of?.total ?? 0, done)
  return (
    <Panel title={t('delivery.title')} action={<State one={one} />}>
      {underWay && (
        <div className="notes-progress">
          <Progress value={total > 0 ? (100 * done) / total : 0} aria-label={t('delivery.progress')} />
          <Text size="sm" c="dimmed" mt={4} aria-live="polite">
            {t(of?.complete ? 'delivery.soFar' : 'delivery.counting', { count: total, done })}
          </Text>
        </div>
      )}
      {!underWay && one.failed_count === 0 && <Text size="sm">{t('delivery.all', { count: total })}</Text>}
      {one.failed_count > 0 && (
        <Alert
          color="red"
          icon={<IconAlertTriangle aria-hidden />}
          title={t('delivery.failed', { count: one.failed_count })}
        >
          {of?.failed && of.failed.length > 0 ? of.failed.join(', ') : t('delivery.forgotten')}
          <p className="notes-why">{t('delivery.why')}</p>
        </Alert>
      )}
      {one.status === 'failed' && one.failed_count === 0 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />}>
          {t('delivery.broken')}
        </Alert>
      )}
    </Panel>
  )
}
