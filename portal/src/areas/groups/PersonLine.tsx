import { Avatar, Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { isSame, nameOf } from '../../parts/names.ts'
import { person } from './queries.ts'

type Named = { uid: string; givenName?: string; sn?: string }

/** What people call somebody: their name where there is one. */
export function called({ uid, givenName, sn }: Named): string {
  return [givenName, sn].filter(Boolean).join(' ') || uid
}

/** Somebody in a list: their name, which comes after the username that a group knows them by. */
export function PersonLine({ dn, children }: { dn: string; children?: ReactNode }) {
  const { t } = useTranslation('groups')
  const me = useMe()
  const uid = nameOf(dn)
  const { data: found } = useQuery(person(uid))
  const name = called(found ?? { uid })
  return (
    <>
      <Avatar name={name} color="brand" radius="xl" size={36} aria-hidden />
      <div className="groups-who">
        <span className="groups-called">
          <Text component="span" fw={600} c="bright">
            <bdi>{name}</bdi>
          </Text>
          {isSame(uid, me.uid) && <Mark>{t('you')}</Mark>}
          {found === null && <Mark color="yellow">{t('gone')}</Mark>}
          {found && !found.isActive && <Mark color="red">{t('locked')}</Mark>}
        </span>
        <Text component="span" size="sm" c="dimmed">
          <bdi>{uid}</bdi>
        </Text>
      </div>
      {children}
    </>
  )
}

function Mark({ color = 'brand', children }: { color?: string; children: string }) {
  return (
    <Badge component="span" variant="light" size="sm" tt="none" color={color}>
      {children}
    </Badge>
  )
}
