import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/Panel.tsx'
import { OverTime } from './OverTime.tsx'
import { places } from './places.ts'
import type { Counted } from './queries.ts'
import { refusals } from './queries.ts'

/** Sign-ins that were refused, and which names were tried most. */
export function Refusals() {
  const { t } = useTranslation('home')
  const { data } = useQuery(refusals)
  const tried = data ? mostTried(data) : []
  return (
    <Panel title={t('refusals.title')} lead={t('refusals.lead')}>
      <OverTime to={places.refusals} of={refusals} says="refusals" by="hour" tone="alert" />
      {tried.length > 0 && (
        <>
          <h3 className="home-sub">{t('refusals.most')}</h3>
          <ul className="plain-list rows">
            {tried.map(({ name, count, from }) => (
              <li key={name} className="home-row">
                <Link {...places.peopleLike(name)} preload={false}>
                  <bdi>{name}</bdi>
                </Link>
                <Text component="span" size="sm" c="dimmed">
                  {t('refusals.times', { count })} · {t('refusals.from', { count: from })}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

type Tried = { name: string; count: number; from: number }

function mostTried({ events }: Counted): Tried[] {
  const all = new Map<string, { count: number; from: Set<string> }>()
  for (const { target, address } of events) {
    const one = all.get(target) ?? { count: 0, from: new Set() }
    one.count++
    one.from.add(address)
    all.set(target, one)
  }
  return [...all]
    .map(([name, { count, from }]) => ({ name, count, from: from.size }))
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
}
