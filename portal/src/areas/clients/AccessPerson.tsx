import { Avatar, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Chain } from '../../parts/Chain.tsx'
import { person } from './queries.ts'
import type { Reaches } from './useReach.ts'

/** Somebody who may use an application, and each way of groups by which they may. */
export function AccessPerson({ one: { uid, ways } }: { one: Reaches }) {
  const { t } = useTranslation('clients')
  const { data: who } = useQuery(person(uid))
  const name = [who?.givenName, who?.sn].filter(Boolean).join(' ') || uid
  return (
    <li>
      <Avatar name={name} color="brand" radius="xl" size={36} aria-hidden />
      <div className="client-person">
        <span>
          {mayUse(useMe(), 'app_sso_admin') ? (
            <Link to="/people/$uid" params={{ uid }} preload={false}>
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
          {who?.isActive === false && (
            <Badge component="span" color="red" variant="light" tt="none" size="sm" ml={8}>
              {t('access.locked')}
            </Badge>
          )}
        </span>
        <span className="client-about">
          <bdi>{uid}</bdi>
        </span>
      </div>
      <div className="client-ways">
        {ways.map((way) => (
          <Chain key={way.join('\n')} of={way} label={t('access.way')} />
        ))}
      </div>
    </li>
  )
}
