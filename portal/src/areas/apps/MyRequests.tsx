import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconSend } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { byName } from '../../parts/names.ts'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import { AppsHead } from './AppsHead.tsx'
import type { AccessRequest } from './queries.ts'
import { myRequests, takeBack } from './queries.ts'

const colours = { pending: 'yellow', approved: 'green', denied: 'red', cancelled: 'gray' } as const

const states = ['pending', 'approved', 'denied', 'cancelled'] as const
const orders: [Order<AccessRequest>, ...Order<AccessRequest>[]] = [
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
  { value: 'oldest', by: (a, b) => a.created_on - b.created_on },
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
]
const said = ({ name, note, decisionNote, decided_by }: AccessRequest) => [
  ...[name, note, decisionNote, decided_by],
]

/** What I asked for, and what came of it. */
export function MyRequests() {
  const { t } = useTranslation('apps')
  const [leaving, leave] = useState<AccessRequest>()
  const state = {
    ...{ name: 'state', label: t('requests.state'), all: t('requests.anyState') },
    choices: states.map((value) => ({ value, label: t(`state.${value}`) })),
    of: ({ state }: AccessRequest) => state,
  }
  return (
    <>
      <AppsHead at="/requests" />
      <Asked of={useQuery(myRequests)} height={88}>
        {(requests) =>
          requests.length === 0 ? (
            <Empty
              icon={IconSend}
              title={t('requests.none.title')}
              action={
                <ButtonLink to="/catalogue" mt="sm">
                  {t('none.action')}
                </ButtonLink>
              }
            >
              {t('requests.none.text')}
            </Empty>
          ) : (
            <Listed {...{ label: t('requests.title'), rows: requests, said, orders, filters: [state] }}>
              {(shown) => (
                <Stack component="ul" gap="sm" className="plain-list">
                  {shown.map((request) => (
                    <OneRequest key={request.id} request={request} onTakeBack={() => leave(request)} />
                  ))}
                </Stack>
              )}
            </Listed>
          )
        }
      </Asked>
      <TakeBack request={leaving} onClose={() => leave(undefined)} />
    </>
  )
}

function OneRequest({ request, onTakeBack }: { request: AccessRequest; onTakeBack: () => void }) {
  const { t } = useTranslation('apps')
  const { name, state, note, decisionNote, decided_by, created_on, decided_on } = request
  return (
    <Group component="li" className="card" p="md" justify="space-between" align="flex-start" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={600} c="bright" component="h2" m={0} fz="md">
            <bdi>{name}</bdi>
          </Text>
          <Badge variant="light" color={colours[state]} tt="none">
            {t(`state.${state}`)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {t('requests.asked')} <Time at={created_on} />
          {decided_on && state !== 'cancelled' && (
            <>
              {' · '}
              {t('requests.decided', { by: decided_by })} <Time at={decided_on} />
            </>
          )}
        </Text>
        {note && (
          <Text size="sm" mt={4} className="said">
            {note}
          </Text>
        )}
        {decisionNote && (
          <Text size="sm" mt={4} className="said">
            <b>{decided_by}:</b> {decisionNote}
          </Text>
        )}
      </div>
      {state === 'pending' && (
        <Button
          size="xs"
          variant="default"
          onClick={onTakeBack}
          aria-label={t('requests.takeBackOf', { name })}
        >
          {t('requests.takeBack')}
        </Button>
      )}
    </Group>
  )
}

function TakeBack({ request, onClose }: { request: AccessRequest | undefined; onClose: () => void }) {
  const { t } = useTranslation('apps')
  const client = useQueryClient()
  const ending = useMutation({
    mutationFn: takeBack,
    onSuccess: () => {
      onClose()
      told(t('requests.takenBack'))
    },
    onSettled: () => client.invalidateQueries({ queryKey: myRequests.queryKey }),
  })
  const name = request?.name ?? ''
  return (
    <Confirm
      opened={request !== undefined}
      onClose={() => {
        onClose()
        ending.reset()
      }}
      title={t('requests.takeBackTitle', { name })}
      action={t('requests.takeBack')}
      onConfirm={() => request && ending.mutate(request.id)}
      busy={ending.isPending}
      error={ending.error}
    >
      {t('requests.takeBackText', { name })}
    </Confirm>
  )
}
