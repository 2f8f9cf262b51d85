import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { waiting } from './queries.ts'

const first = 5

/** Who waits for access to a resource; it is decided on a screen of its own. */
export function Waiting({ id }: { id: string }) {
  const { t } = useTranslation('directory')
  const { data, error, refetch } = useQuery(waiting(id))
  const count = data?.length ?? 0
  return (
    <Panel
      title={t('waiting.title', { count })}
      action={
        count > 0 && (
          <AnchorLink to="/decisions" size="sm">
            {t('waiting.decide')}
          </AnchorLink>
        )
      }
    >
      {error && <Failed error={error} onRetry={refetch} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('waiting.none')}
        </Text>
      )}
      <ul className="plain-list rows">
        {data?.slice(0, first).map((request) => (
          <li key={request.id} className="directory-row">
            <div className="grows">
              <bdi>{request.uid}</bdi>
              <Text component="span" size="sm" c="dimmed">
                {' · '}
                <Time at={request.created_on} />
              </Text>
              {request.note && (
                <Text size="sm" className="said" mt={4}>
                  {request.note}
                </Text>
              )}
            </div>
          </li>
        ))}
      </ul>
      {count > first && (
        <Text size="sm" c="dimmed">
          {t('find.more', { count: count - first })}
        </Text>
      )}
    </Panel>
  )
}
