import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/Panel.tsx'
import { OverTime } from './OverTime.tsx'
import { places } from './places.ts'
import { figures, signUps } from './queries.ts'

/** Accounts that were made lately, and whose they are. */
export function SignUps() {
  const { t } = useTranslation('home')
  const { data: counted } = useQuery(figures)
  const newest = counted?.recentSignups.slice(0, 5) ?? []
  return (
    <Panel title={t('signUps.title')} lead={t('signUps.lead')}>
      <OverTime to={places.signUps} of={signUps} says="signUps" by="day" />
      {newest.length > 0 && (
        <>
          <h3 className="home-sub">{t('signUps.newest')}</h3>
          <ul className="plain-list rows">
            {newest.map(({ uid, givenName, sn }) => (
              <li key={uid} className="home-row">
                <Link to="/people/$uid" params={{ uid }} preload={false}>
                  <bdi>{[givenName, sn].filter(Boolean).join(' ') || uid}</bdi>
                </Link>
                <Text component="span" size="sm" c="dimmed">
                  <bdi>{uid}</bdi>
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}
