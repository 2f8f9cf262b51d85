import { Badge, Button, Code, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconHistory } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { eventsOn } from './queries.ts'

/** What was done to somebody's account, by whom and from where. */
export function PersonActivity() {
  const { t } = useTranslation(['people', 'app'])
  const { uid } = useParams({ from: '/people/$uid' })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    eventsOn(uid),
  )
  if (error && !data) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Loading rows={4} />
  const events = data.pages.flatMap(({ results }) => results)
  return (
    <>
      {events.length === 0 && !hasNextPage && (
        <Empty icon={IconHistory} title={t('activity.none.title')}>
          {t('activity.none.text')}
        </Empty>
      )}
      {events.length > 0 && (
        <Panel title={t('activity.title')} lead={t('activity.lead')}>
          <ul className="plain-list person-list">
            {events.map(({ id, at, actor, action, outcome, address, detail }) => (
              <li key={id} className="person-event">
                <div>
                  <Code>{action}</Code>{' '}
                  {outcome !== 'ok' && (
                    <Badge component="span" variant="light" color="red" tt="none">
                      {outcome}
                    </Badge>
                  )}
                  {detail && Object.keys(detail).length > 0 && (
                    <Text component="span" size="sm" c="dimmed">
                      {' '}
                      {toldOf(detail)}
                    </Text>
                  )}
                </div>
                <Text component="div" size="sm" c="dimmed">
                  <bdi>{actor || t('activity.nobody')}</bdi>
                  {address && ` · ${address}`} · <Time at={at} />
                </Text>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {error && <Failed error={error} onRetry={() => fetchNextPage()} />}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {t('app:more')}
        </Button>
      )}
    </>
  )
}

function toldOf(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}
