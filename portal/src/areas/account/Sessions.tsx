import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { IconDeviceDesktop, IconDeviceMobile } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { readAgent } from './agent.ts'
import type { Session } from './queries.ts'
import { endOtherSessions, endSession, sessions } from './queries.ts'
import { useTask } from './useTask.ts'

/** This one always stands first. */
const here = (a: Session, b: Session) => Number(b.current) - Number(a.current)
const orders: [Order<Session>, ...Order<Session>[]] = [
  { value: 'used', by: (a, b) => here(a, b) || b.last_used_on - a.last_used_on },
  { value: 'newest', by: (a, b) => here(a, b) || b.created_on - a.created_on },
  { value: 'oldest', by: (a, b) => here(a, b) || a.created_on - b.created_on },
]

/** Where I am signed in; one can be ended, or all but this. */
export function Sessions() {
  const { t } = useTranslation('account')
  const all = useQuery(sessions)
  const [leaving, leave] = useState<Session | 'others'>()
  const others = all.data?.filter(({ current }) => !current).length ?? 0
  const ending = useTask<Session | 'others'>({
    does: (which) => (which === 'others' ? endOtherSessions() : endSession(which.id)),
    says: t('sessions.ended'),
    renews: sessions.queryKey,
    after: () => leave(undefined),
  })
  const one = leaving !== 'others' ? leaving : undefined
  const name = one ? readAgent(one.agent).name : ''
  return (
    <Panel
      title={t('sessions.title')}
      lead={t('sessions.lead')}
      action={
        others > 0 && (
          <Button variant="light" color="red" onClick={() => leave('others')}>
            {t('sessions.endOthers', { count: others })}
          </Button>
        )
      }
    >
      <Asked of={all}>
        {(rows) => (
          <Listed
            label={t('sessions.title')}
            rows={rows}
            said={({ agent, address }) => [readAgent(agent).name, agent, address]}
            orders={orders}
          >
            {(shown) => (
              <Stack component="ul" gap={0} className="plain-list rows">
                {shown.map((session) => (
                  <OneSession key={session.id} session={session} onEnd={() => leave(session)} />
                ))}
              </Stack>
            )}
          </Listed>
        )}
      </Asked>
      <Confirm
        opened={leaving !== undefined}
        onClose={() => leave(undefined)}
        title={one ? t('sessions.endTitle', { name }) : t('sessions.endOthersTitle', { count: others })}
        action={one ? t('sessions.end') : t('sessions.endOthers', { count: others })}
        onConfirm={() => leaving && ending.mutate(leaving)}
        busy={ending.isPending}
        error={ending.error}
      >
        {one
          ? t('sessions.endText', { name, address: one.address })
          : t('sessions.endOthersText', { count: others })}
      </Confirm>
    </Panel>
  )
}

function OneSession({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useTranslation('account')
  const { name, mobile } = readAgent(session.agent)
  const Icon = mobile ? IconDeviceMobile : IconDeviceDesktop
  return (
    <Group component="li" wrap="nowrap" gap="md" py="sm" title={session.agent}>
      <Icon size={24} stroke={1.5} className="muted" />
      <div className="grows">
        <Group gap="xs">
          <Text fw={600} c="bright">
            <bdi>{name || t('sessions.unknown')}</bdi>
          </Text>
          {session.current && (
            <Badge color="green" variant="light" tt="none">
              {t('sessions.this')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {session.address} · {t('sessions.used')} <Time at={session.last_used_on} /> · {t('sessions.since')}{' '}
          <Time at={session.created_on} />
        </Text>
      </div>
      {!session.current && (
        <Button
          size="xs"
          variant="default"
          onClick={onEnd}
          aria-label={t('sessions.endOf', { name, address: session.address })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </Group>
  )
}
