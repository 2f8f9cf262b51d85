import { Alert, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconUserOff, IconWorld } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { fold } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { AccessPerson } from './AccessPerson.tsx'
import { InDirectory } from './InDirectory.tsx'
import { client } from './queries.ts'
import type { Client } from './types.ts'
import type { Reaches } from './useReach.ts'
import { useReach } from './useReach.ts'

const pageSize = 25

/** Who may use an application, and by which groups. */
export function Access() {
  const { t } = useTranslation('clients')
  const { id } = useParams({ from: '/admin/applications/$id' })
  return (
    <Asked of={useQuery(client(id))}>
      {(one) =>
        one.allowed_groups.length > 0 ? (
          <Members client={one} />
        ) : (
          <Empty icon={IconWorld} title={t('access.everybody')}>
            {t('access.everybodyText', { name: one.name })}
          </Empty>
        )
      }
    </Asked>
  )
}

function Members({ client }: { client: Client }) {
  const { t } = useTranslation(['clients', 'app'])
  const { q, group } = useSearch({ from: '/admin/applications/$id/access' })
  const look = useKeep<{ q?: string | undefined; group?: string | undefined }>()
  const [limit, extend] = useState(pageSize)
  const { people, missing, isPending, error, refetch } = useReach(client.allowed_groups)
  if (error) return <Failed error={error} onRetry={refetch} />
  if (isPending) return <Loading rows={6} />
  const through = (one: Reaches) => group === undefined || one.ways.some(([first]) => first === group)
  const found = people.filter((one) => fold(one.uid).includes(fold(q ?? '')) && through(one))
  return (
    <>
      {missing.map((name) => (
        <Alert key={name} color="yellow" mb="md" icon={<IconAlertTriangle aria-hidden />}>
          {t('access.missing', { group: name })}
        </Alert>
      ))}
      <Panel title={t('access.title', { count: people.length })} lead={t('access.lead')}>
        <ul className="plain-list client-doors" aria-label={t('access.groups')}>
          {client.allowed_groups.map((name) => (
            <li key={name}>
              <Button
                size="xs"
                variant={group === name ? 'filled' : 'default'}
                aria-pressed={group === name}
                onClick={() => look({ group: group === name ? undefined : name })}
              >
                {t('access.groupCount', {
                  group: name,
                  count: people.filter(({ ways }) => ways.some(([first]) => first === name)).length,
                })}
              </Button>
            </li>
          ))}
        </ul>
        <SearchField label={t('access.search')} value={q} onSearch={(q) => look({ q })} />
        {people.length === 0 && (
          <Empty icon={IconUserOff} title={t('access.nobody')}>
            {t('access.nobodyText', { name: client.name })}
          </Empty>
        )}
        {people.length > 0 && found.length === 0 && (
          <Text size="sm" c="dimmed" mt="md">
            {t('access.unfound')}
          </Text>
        )}
        <ul className="plain-list client-people" aria-label={t('access.people')}>
          {found.slice(0, limit).map((one) => (
            <AccessPerson key={one.uid} one={one} />
          ))}
        </ul>
        {found.length > limit && (
          <Button variant="default" size="xs" mt="sm" onClick={() => extend(limit + 2 * pageSize)}>
            {t('app:more')}
          </Button>
        )}
      </Panel>
      <Text size="sm" c="dimmed" mb="md">
        {t('access.change')}{' '}
        <Link to="/admin/applications/$id" params={{ id: client.client_id }} className="client-link">
          {t('tabs.settings')}
        </Link>
        .
      </Text>
      <InDirectory id={client.client_id} />
    </>
  )
}
