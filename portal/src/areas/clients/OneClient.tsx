import { BackTo } from '../../parts/BackTo.tsx'
import './clients.css'
import './client-parts.css'
import { Alert, Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { mayUse, useMe } from '../../api/queries.ts'
import { Asked } from '../../parts/Asked.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconBan } from '../../parts/icons.tsx'
import { LinkTabs } from '../../parts/LinkTabs.tsx'
import { NotFound } from '../../parts/NotFound.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import type { Doing } from './Actions.tsx'
import { Actions } from './Actions.tsx'
import { switchTo } from './changes.ts'
import { Dialogs } from './Dialogs.tsx'
import { client } from './queries.ts'
import type { Client } from './types.ts'

const tabs = [
  ['/admin/applications/$id', 'settings'],
  ['/admin/applications/$id/connect', 'connect'],
  ['/admin/applications/$id/test', 'test'],
  ['/admin/applications/$id/access', 'access'],
] as const

/** One application: what it is above, what can be set, tried and known of it below, a tab for each. */
export function OneClient() {
  const { t } = useTranslation('clients')
  const { id } = useParams({ from: '/admin/applications/$id' })
  const me = useMe()
  const asked = useQuery(client(id))
  const [doing, start] = useState<Doing>()
  if (asked.error instanceof Failure && asked.error.name === 'NotFound') return <NotFound />
  return (
    <>
      <BackTo to="/admin/applications" label={t('title')} />
      <Asked of={asked} rows={4} height={120}>
        {(one) => (
          <>
            <PageHead
              title={one.name}
              lead={
                <>
                  {t(one.public ? 'public' : 'confidential')} · {t('changedBy', { who: one.updated_by })}{' '}
                  <Time at={one.updated_on} />
                  {mayUse(me, 'app_sso_admin') && (
                    <>
                      {' · '}
                      <Link to="/admin/audit" search={{ target: one.client_id }} className="client-link">
                        {t('history')}
                      </Link>
                    </>
                  )}
                </>
              }
              actions={<Actions client={one} onStart={start} />}
            />
            {!one.is_valid && <SwitchedOff client={one} />}
            <LinkTabs
              label={t('tabs.name')}
              tabs={tabs.map(([to, label]) => ({ to, label: t(`tabs.${label}`) }))}
              params={{ id: one.client_id }}
            />
            <Outlet />
            <Dialogs client={one} doing={doing} onClose={() => start(undefined)} />
          </>
        )}
      </Asked>
    </>
  )
}

function SwitchedOff({ client }: { client: Client }) {
  const { t } = useTranslation('clients')
  const { name } = client
  const switching = useMutation({
    mutationFn: () => switchTo(true, client.client_id),
    onSuccess: () => told(t('do.on.done', { name })),
  })
  return (
    <>
      <Alert color="red" mb="md" icon={<IconBan aria-hidden />} title={t('switchedOff.title')}>
        <Group justify="space-between" gap="sm">
          {t('switchedOff.text', { name })}
          <Button
            size="xs"
            variant="default"
            loading={switching.isPending}
            onClick={() => switching.mutate()}
          >
            {t('do.on.menu')}
          </Button>
        </Group>
      </Alert>
      {switching.error && <Failed error={switching.error} />}
    </>
  )
}
