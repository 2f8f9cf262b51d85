import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useActionWords } from '../../parts/actions.ts'
import { Empty } from '../../parts/Empty.tsx'
import type { Event } from '../../parts/EventList.tsx'
import { EventList } from '../../parts/EventList.tsx'
import { IconActivity } from '../../parts/icons.tsx'
import { Outcome } from '../../parts/Outcome.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Target } from '../../parts/Target.tsx'
import { Time } from '../../parts/Time.tsx'
import { activity } from './queries.ts'

/** What I did, and what was done to my account. */
export function Activity() {
  const { t } = useTranslation('account')
  return (
    <Panel title={t('activity.title')} lead={t('activity.lead')}>
      <EventList
        label={t('activity.title')}
        queryKey={['activity']}
        read={activity}
        none={<Empty icon={IconActivity} title={t('activity.none')} />}
      >
        {(event, called) => <OneEvent key={event.id} {...{ event, called }} />}
      </EventList>
    </Panel>
  )
}

type Props = { event: Event; called: string | undefined }

function OneEvent({ event: { at, action, actor, target, outcome, address }, called }: Props) {
  const words = useActionWords()
  return (
    <Group component="li" justify="space-between" gap="sm" py="xs">
      <div>
        <Group gap="xs">
          <Text fw={500} c="bright">
            {words.action(action)}
          </Text>
          <Outcome outcome={outcome} />
        </Group>
        <Text size="sm" c="dimmed">
          {actor !== target && (
            <>
              {actor}
              {actor && target && ' → '}
              <Target {...{ target, called }} />
              {address && ' · '}
            </>
          )}
          {address}
        </Text>
      </div>
      <Text size="sm" c="dimmed">
        <Time at={at} />
      </Text>
    </Group>
  )
}
