import './person.css'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconArrowLeft } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Actions } from './Actions.tsx'
import { Asked } from './Asked.tsx'
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
      <Anchor component={Link} to="/people" size="sm" className="person-back">
        <IconArrowLeft size={16} stroke={2} aria-hidden /> {t('title')}
      </Anchor>
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
            <Tabs uid={who.uid} />
            <Outlet />
            <Dialogs who={who} doing={doing} onClose={() => start(undefined)} />
          </>
        )}
      </Asked>
    </>
  )
}

/** Each is a link, so that it can be sent to somebody; the one that is open stays in sight where there is little room. */
function Tabs({ uid }: { uid: string }) {
  const { t } = useTranslation('people')
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path says which one is open
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[data-status=active]')
    if (list.current && open) list.current.scrollLeft = open.offsetLeft - list.current.offsetLeft
  }, [pathname])
  return (
    <nav ref={list} className="person-tabs" aria-label={t('tabs.name')}>
      {tabs.map(([to, label]) => (
        <Link
          key={to}
          {...{ to, params: { uid } }}
          className="person-tab"
          activeOptions={{ exact: true }}
          resetScroll={false}
        >
          {t(`tabs.${label}`)}
        </Link>
      ))}
    </nav>
  )
}
