import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Notification } from './queries.ts'

const colours = { queued: 'yellow', sending: 'yellow', sent: 'green', failed: 'red' } as const

/** How far it is, and how many it reached. */
export function State({ one: { status, sent_count, failed_count } }: { one: Notification }) {
  const { t } = useTranslation('notifications')
  return (
    <span className="notes-state">
      <Badge component="span" variant="light" color={colours[status]} tt="none">
        {t(`status.${status}`)}
      </Badge>
      <span className="notes-dim">
        {t('reached', { count: sent_count })}
        {failed_count > 0 && (
          <>
            , <span className="notes-failed">{t('notReached', { count: failed_count })}</span>
          </>
        )}
      </span>
    </span>
  )
}
