import { Badge, Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconDeviceDesktop } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import { endSession } from './changes.ts'
import type { Session } from './queries.ts'
import { sessionsOf } from './queries.ts'

const said = ({ address, agent, impersonator }: Session) => [address, agent, impersonator]
const orders: [Order<Session>, ...Order<Session>[]] = [
  { value: 'used', by: (a, b) => b.last_used_on - a.last_used_on },
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
  { value: 'oldest', by: (a, b) => a.created_on - b.created_on },
]

/** Where somebody is signed in. */
export function PersonSessions() {
  const { t } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  const [ending, end] = useState<Session>()
  const step = useMutation({
    mutationFn: (id: string) => endSession(uid, id),
    onSuccess: () => {
      end(undefined)
      told(t('sessions.ended'))
    },
  })
  return (
    <Asked of={useQuery(sessionsOf(uid))}>
      {(sessions) => (
        <>
          {sessions.length === 0 ? (
            <Empty icon={IconDeviceDesktop} title={t('sessions.none.title')}>
              {t('sessions.none.text')}
            </Empty>
          ) : (
            <Panel title={t('sessions.title', { count: sessions.length })}>
              <Listed label={t('tabs.sessions')} rows={sessions} said={said} orders={orders}>
                {(shown) => (
                  <ul className="plain-list person-list">
                    {shown.map((session) => (
                      <One key={session.id} session={session} onEnd={() => end(session)} />
                    ))}
                  </ul>
                )}
              </Listed>
            </Panel>
          )}
          <Confirm
            opened={ending !== undefined}
            onClose={() => {
              end(undefined)
              step.reset()
            }}
            title={t('sessions.endTitle', { address: ending?.address ?? '' })}
            action={t('sessions.end')}
            onConfirm={() => ending && step.mutate(ending.id)}
            busy={step.isPending}
            error={step.error}
          >
            {t('sessions.endText', { agent: ending?.agent || t('sessions.unknown') })}
          </Confirm>
        </>
      )}
    </Asked>
  )
}

function One({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useTranslation('people')
  const { address, agent, created_on, last_used_on, current, impersonator } = session
  return (
    <li className="person-session">
      <div>
        <Text component="div" fw={600} c="bright">
          {address}{' '}
          {current && (
            <Badge component="span" variant="light" color="green" tt="none">
              {t('sessions.yours')}
            </Badge>
          )}
          {impersonator && (
            <Badge component="span" variant="light" color="yellow" tt="none">
              {t('sessions.by', { by: impersonator })}
            </Badge>
          )}
        </Text>
        <Text component="div" size="sm" c="dimmed" lineClamp={2}>
          {agent || t('sessions.unknown')}
        </Text>
        <Text component="div" size="sm" c="dimmed">
          {t('sessions.since')} <Time at={created_on} /> · {t('sessions.used')} <Time at={last_used_on} />
        </Text>
      </div>
      <Button size="xs" variant="default" onClick={onEnd} aria-label={t('sessions.endOf', { address })}>
        {t('sessions.end')}
      </Button>
    </li>
  )
}
