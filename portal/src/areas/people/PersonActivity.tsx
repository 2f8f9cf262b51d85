import { Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useActionWords } from '../../parts/actions.ts'
import { Empty } from '../../parts/Empty.tsx'
import type { Event } from '../../parts/EventList.tsx'
import { EventList } from '../../parts/EventList.tsx'
import { IconHistory } from '../../parts/icons.tsx'
import { Outcome } from '../../parts/Outcome.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { eventsOn, oneKey } from './queries.ts'

/** What was done to somebody's account, by whom and from where. */
export function PersonActivity() {
  const { t } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  return (
    <Panel title={t('activity.title')} lead={t('activity.lead')}>
      <EventList
        label={t('activity.title')}
        queryKey={[...oneKey(uid), 'events']}
        read={eventsOn(uid)}
        none={
          <Empty icon={IconHistory} title={t('activity.none.title')}>
            {t('activity.none.text')}
          </Empty>
        }
      >
        {(event) => <OneEvent key={event.id} event={event} />}
      </EventList>
    </Panel>
  )
}

function OneEvent({ event: { at, actor, action, outcome, address, detail = {} } }: { event: Event }) {
  const { t } = useTranslation('people')
  const words = useActionWords()
  return (
    <li className="person-event">
      <div>
        <Text component="span" fw={500} c="bright">
          {words.action(action)}
        </Text>{' '}
        <Outcome outcome={outcome} />
        {Object.keys(detail).length > 0 && (
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
  )
}

function toldOf(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}
