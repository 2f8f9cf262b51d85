import { BackTo } from '../../parts/BackTo.tsx'
import './person.css'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { LinkTabs } from '../../parts/LinkTabs.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Actions } from './Actions.tsx'
import type { Doing } from './Dialogs.tsx'
import { Dialogs } from './Dialogs.tsx'
import { Notices } from './Notices.tsx'
import { person } from './queries.ts'
import { State } from './State.tsx'
import { nameOf } from './said.ts'

const tabs = [
  ['/people/$uid', 'overview'],
  ['/people/$uid/groups', 'groups'],
  ['/people/$uid/access', 'access'],
  ['/people/$uid/sessions', 'sessions'],
  ['/people/$uid/activity', 'activity'],
] as const

/** One person: who they are above, what is known of them below, a tab for each. */
export function Person() {
  const { t } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  const asked = useQuery(person(uid))
  const [doing, start] = useState<Doing>()
  return (
    <>
      <BackTo to="/people" label={t('title')} />
      <Asked of={asked} rows={4}>
        {(who) => (
          <>
            <PageHead
              title={nameOf(who)}
              lead={
                <Group component="span" gap="xs" display="inline-flex">
                  <bdi>{who.uid}</bdi>
                  <State who={who} />
                </Group>
              }
              actions={<Actions who={who} onStart={start} />}
            />
            <Notices who={who} onStart={start} />
            <LinkTabs
              label={t('tabs.name')}
              tabs={tabs.map(([to, label]) => ({ to, label: t(`tabs.${label}`) }))}
              params={{ uid: who.uid }}
            />
            <Outlet />
            <Dialogs who={who} doing={doing} onClose={() => start(undefined)} />
          </>
        )}
      </Asked>
    </>
  )
}
