import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconSend } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import { AppsHead } from './AppsHead.tsx'
import type { AccessRequest } from './queries.ts'
import { myRequests, takeBack } from './queries.ts'

const colours = { pending: 'yellow', approved: 'green', denied: 'red', cancelled: 'gray' } as const

/** What I asked for, and what came of it. */
export function MyRequests() {
  const { t } = useTranslation('apps')
  const { data: requests, error, refetch } = useQuery(myRequests)
  const [leaving, leave] = useState<AccessRequest>()
  return (
    <>
      <AppsHead at="/requests" />
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !requests && <Loading rows={3} height={88} />}
      {requests?.length === 0 && (
        <Empty
          icon={IconSend}
          title={t('requests.none.title')}
          action={
            <Button component={Link} to="/catalogue" mt="sm">
              {t('none.action')}
            </Button>
          }
        >
          {t('requests.none.text')}
        </Empty>
      )}
      {requests && requests.length > 0 && (
        <Stack component="ul" gap="sm" className="plain-list">
          {requests.map((request) => (
            <OneRequest key={request.id} request={request} onTakeBack={() => leave(request)} />
          ))}
        </Stack>
      )}
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
