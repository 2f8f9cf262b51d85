import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconActivity } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { activity } from './queries.ts'

type Event = Awaited<ReturnType<typeof activity>>['results'][number]

/** What I did, and what was done to my account. */
export function Activity() {
  const { t } = useTranslation(['account', 'app'])
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['activity'],
    queryFn: ({ pageParam }) => activity(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
  const events = data?.pages.flatMap(({ results }) => results)
  return (
    <Panel title={t('activity.title')} lead={t('activity.lead')}>
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !events && <Loading rows={6} height={44} />}
      {events?.length === 0 && <Empty icon={IconActivity} title={t('activity.none')} />}
      <Stack component="ul" gap={0} className="plain-list rows">
        {events?.map((event) => (
          <OneEvent key={event.id} event={event} />
        ))}
      </Stack>
      {hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
            {t('app:more')}
          </Button>
        </Group>
      )}
    </Panel>
  )
}

function OneEvent({ event: { at, action, actor, target, outcome, address } }: { event: Event }) {
  const { t, i18n } = useTranslation('account')
  const key = `actions.${action.replaceAll('.', '_')}`
  const known = i18n.exists(key, { ns: 'account' })
  return (
    <Group component="li" justify="space-between" gap="sm" py="xs">
      <div>
        <Group gap="xs">
          <Text fw={500} c="bright">
            {known ? String(t(key as 'actions.session_create')) : action}
          </Text>
          {outcome !== 'ok' && (
            <Badge color="red" variant="light" tt="none">
              {t('activity.failed')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {[actor !== target && actor, address].filter(Boolean).join(' · ')}
        </Text>
      </div>
      <Text size="sm" c="dimmed">
        <Time at={at} />
      </Text>
    </Group>
  )
}
