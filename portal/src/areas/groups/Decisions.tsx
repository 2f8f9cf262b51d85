import './groups.css'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries, toDecide } from '../../api/queries.ts'
import { Asked as Answered } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconListCheck } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { PageHead } from '../../parts/PageHead.tsx'
import { Time } from '../../parts/Time.tsx'
import type { Asked } from './Decide.tsx'
import { Decide } from './Decide.tsx'
import { called } from './PersonLine.tsx'
import { person } from './queries.ts'

type Chosen = { request: Asked; how: 'approve' | 'deny' }

const orders: [Order<Asked>, ...Order<Asked>[]] = [
  { value: 'oldest', by: (a, b) => a.created_on - b.created_on },
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
]

/** Requests for access to what is mine, the oldest first. */
export function Decisions() {
  const { t } = useTranslation('groups')
  const [chosen, choose] = useState<Chosen>()
  return (
    <>
      <PageHead title={t('decide.title')} lead={t('decide.lead')} />
      <Answered of={useQuery(toDecide)} height={110}>
        {(requests) =>
          requests.length === 0 ? (
            <Empty icon={IconListCheck} title={t('decide.none.title')}>
              {t('decide.none.text')}
            </Empty>
          ) : (
            <Listed label={t('decide.list')} rows={requests} said={said} orders={orders}>
              {(shown) => (
                <Stack component="ul" gap="sm" className="plain-list">
                  {shown.map((request) => (
                    <OneRequest
                      key={request.id}
                      request={request}
                      onChoose={(how) => choose({ request, how })}
                    />
                  ))}
                </Stack>
              )}
            </Listed>
          )
        }
      </Answered>
      <Decide chosen={chosen} onClose={() => choose(undefined)} />
    </>
  )
}

/** Also the name of whoever asks, once it was read for their row. */
function said({ uid, name, note }: Asked) {
  const found = queries.getQueryData(person(uid).queryKey)
  return [uid, found && called(found), name, note]
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
