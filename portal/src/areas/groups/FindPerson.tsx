import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { IconSearch } from '../../parts/icons.tsx'
import { called } from './PersonLine.tsx'
import { foundPeople } from './queries.ts'

type Props = {
  typed: string
  onType: (typed: string) => void
  children: (one: { uid: string; name: string }) => ReactNode
}

/** Finds people; `children` is what can be done with each. */
export function FindPerson({ typed, onType, children }: Props) {
  const { t } = useTranslation('groups')
  const me = useMe()
  const searches = mayUse(me, 'app_sso_admin')
  const [q] = useDebouncedValue(typed.trim(), 200)
  const { data: found, error, refetch } = useQuery(foundPeople(me, q))
  return (
    <>
      <TextInput
        ref={focused}
        type="search"
        label={t('add.find')}
        description={t(searches ? 'add.bySearch' : 'add.byUsername')}
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className="groups-found" aria-live="polite">
        {error && <Failed error={error} onRetry={refetch} />}
        {found?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t(searches ? 'add.nobody' : 'add.nobodyCalled', { q })}
          </Text>
        )}
        <ul className="plain-list groups-people">
          {found?.map((one) => {
            const name = called(one)
            return (
              <li key={one.uid}>
                <div className="groups-who">
                  <Text component="span" fw={600} c="bright" truncate>
                    <bdi>{name}</bdi>
                  </Text>
                  <Text component="span" size="sm" c="dimmed" truncate>
                    <bdi>{one.uid}</bdi>
                  </Text>
                </div>
                <div className="groups-end">{children({ uid: one.uid, name })}</div>
              </li>
            )
          })}
        </ul>
      </div>
    </>
  )
}
