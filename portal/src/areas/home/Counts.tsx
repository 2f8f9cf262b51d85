import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Go } from './Go.tsx'
import type { Way } from './places.ts'
import { here, places } from './places.ts'
import type { AtLeast } from './queries.ts'
import { applications, figures, invites } from './queries.ts'

/** How much there is; each number leads where one acts on it. */
export function Counts() {
  const { t } = useTranslation('home')
  const hasApps = mayUse(useMe(), 'app_sso_oauth_admin')
  const { data: counted, isError } = useQuery(figures)
  const apps = useQuery({ ...applications, enabled: hasApps })
  const waiting = useQuery(invites)
  return (
    <ul className="plain-list home-counts" aria-label={t('counts.name')}>
      <Count label={t('counts.people')} of={counted?.totalUsers} failed={isError} to={places.people} />
      <Count label={t('counts.locked')} of={counted?.inactiveUsers} failed={isError} to={here.locked} />
      <Count label={t('counts.groups')} of={counted?.totalGroups} failed={isError} to={places.groups} />
      {hasApps && (
        <Count
          label={t('counts.applications')}
          of={apps.data}
          failed={apps.isError}
          to={places.applications}
        />
      )}
      <Count label={t('counts.invites')} of={waiting.data} failed={waiting.isError} to={places.openInvites} />
    </ul>
  )
}

type CountProps = {
  label: string
  of: number | AtLeast | undefined
  failed: boolean
  to: Way
}

function Count({ label, of, failed, to }: CountProps) {
  const { t, i18n } = useTranslation('home')
  const number = new Intl.NumberFormat(i18n.language)
  const count = typeof of === 'number' ? { count: of, more: false } : of
  const figure = count && `${number.format(count.count)}${count.more ? '+' : ''}`
  return (
    <li className="card home-count">
      <span className="home-figure">
        {figure ?? (failed ? <span title={t('counts.unread')}>–</span> : <Skeleton height={28} width={56} />)}
      </span>
      <Go to={to}>{label}</Go>
    </li>
  )
}
