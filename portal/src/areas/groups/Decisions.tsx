import './groups.css'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toDecide } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconListCheck } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Time } from '../../parts/Time.tsx'
import type { Asked } from './Decide.tsx'
import { Decide } from './Decide.tsx'
import { called } from './PersonLine.tsx'
import { person } from './queries.ts'

type Chosen = { request: Asked; how: 'approve' | 'deny' }

/** Requests for access to what is mine, the oldest first. */
export function Decisions() {
  const { t } = useTranslation('groups')
  const { data: requests, error, refetch } = useQuery(toDecide)
  const [chosen, choose] = useState<Chosen>()
  return (
    <>
      <PageHead title={t('decide.title')} lead={t('decide.lead')} />
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !requests && <Loading rows={3} height={110} />}
      {requests?.length === 0 && (
        <Empty icon={IconListCheck} title={t('decide.none.title')}>
          {t('decide.none.text')}
        </Empty>
      )}
      {requests && requests.length > 0 && (
        <Stack component="ul" gap="sm" className="plain-list">
          {requests.map((request) => (
            <OneRequest key={request.id} request={request} onChoose={(how) => choose({ request, how })} />
          ))}
        </Stack>
      )}
      <Decide chosen={chosen} onClose={() => choose(undefined)} />
    </>
  )
}

function OneRequest({ request, onChoose }: { request: Asked; onChoose: (how: Chosen['how']) => void }) {
  const { t } = useTranslation('groups')
  const { uid, name, note, created_on } = request
  const { data: found } = useQuery(person(uid))
  return (
    <li className="card groups-request">
      <div className="groups-request-text">
        <Text fw={600} c="bright" component="h2" m={0} fz="md">
          {t('decide.wants', { who: called(found ?? { uid }), name })}
        </Text>
        <Text size="sm" c="dimmed">
          <bdi>{uid}</bdi> · <Time at={created_on} />
        </Text>
        {note && (
          <Text size="sm" mt={6} className="said">
            {note}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={t('decide.denyOf', { uid, name })}
          onClick={() => onChoose('deny')}
        >
          {t('decide.deny')}
        </Button>
        <Button
          size="xs"
          aria-label={t('decide.approveOf', { uid, name })}
          onClick={() => onChoose('approve')}
        >
          {t('decide.approve')}
        </Button>
      </Group>
    </li>
  )
}
