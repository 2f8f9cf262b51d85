import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import { places } from './places.ts'
import { closed, figures, openDoors, unlock } from './queries.ts'

const few = 5

/** Who cannot sign in, and why, with the way out beside each. */
export function Locked() {
  const { t } = useTranslation('home')
  const shut = useQuery(closed)
  const counted = useQuery(figures)
  const opening = useMutation({
    mutationFn: openDoors,
    onSuccess: (_, uid) => told(t('locked.opened', { name: uid })),
  })
  const unlocking = useMutation({
    mutationFn: ({ uid }: { uid: string; name: string }) => unlock(uid),
    onSuccess: (_, { name }) => told(t('locked.unlocked', { name })),
  })
  const lost = [shut, counted].find(({ data, error }) => error && !data)
  if (lost) return <Failed error={lost.error} onRetry={() => void lost.refetch()} />
  if (!shut.data || !counted.data) return <Loading rows={1} height={150} />
  const locked = counted.data.inactiveList
  return (
    <div id="locked">
      <Panel title={t('locked.title')} lead={t('locked.lead')}>
        {opening.error && <Failed error={opening.error} />}
        {unlocking.error && <Failed error={unlocking.error} />}
        {shut.data.length === 0 && locked.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('locked.none')}
          </Text>
        )}
        <Few title={t('locked.closed', { count: shut.data.length })}>
          {shut.data.map(({ uid, until }) => (
            <li key={uid} className="home-row">
              <div className="grows">
                <Link {...places.peopleLike(uid)} preload={false}>
                  <bdi>{uid}</bdi>
                </Link>
                <Text component="span" size="sm" c="dimmed">
                  {t('locked.until')} <Time at={until} />
                </Text>
              </div>
              <Button
                size="xs"
                variant="default"
                aria-label={t('locked.openOf', { name: uid })}
                loading={opening.isPending && opening.variables === uid}
                onClick={() => opening.mutate(uid)}
              >
                {t('locked.open')}
              </Button>
            </li>
          ))}
        </Few>
        <Few title={t('locked.byAdmin', { count: locked.length })}>
          {locked.map(({ uid, givenName, sn }) => {
            const name = [givenName, sn].filter(Boolean).join(' ') || uid
            return (
              <li key={uid} className="home-row">
                <div className="grows">
                  <Link to="/people/$uid" params={{ uid }} preload={false}>
                    <bdi>{name}</bdi>
                  </Link>
                  <Text component="span" size="sm" c="dimmed">
                    <bdi>{uid}</bdi>
                  </Text>
                </div>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('locked.unlockOf', { name })}
                  loading={unlocking.isPending && unlocking.variables.uid === uid}
                  onClick={() => unlocking.mutate({ uid, name })}
                >
                  {t('locked.unlock')}
                </Button>
              </li>
            )
          })}
        </Few>
      </Panel>
    </div>
  )
}

/** The first few of a list, and more when asked for. */
function Few({ title, children }: { title: string; children: ReactNode[] }) {
  const { t } = useTranslation('home')
  const [shown, show] = useState(few)
  if (children.length === 0) return null
  const left = children.length - shown
  return (
    <section className="home-few" aria-label={title}>
      <h3 className="home-sub">{title}</h3>
      <ul className="plain-list rows">{children.slice(0, shown)}</ul>
      {left > 0 && (
        <Button variant="subtle" size="xs" onClick={() => show(shown + 20)}>
          {t('locked.more', { count: left })}
        </Button>
      )}
    </section>
  )
}
