import { Button, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconSearch } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import { isSame, nameOf } from './names.ts'
import { called } from './PersonLine.tsx'
import type { Who } from './queries.ts'
import { foundPeople } from './queries.ts'

type Props = {
  opened: boolean
  onClose: () => void
  group: string
  /** Those who are in the list already, by distinguished name. */
  already: readonly string[]
  as: 'member' | 'owner'
  add: (who: Who) => Promise<unknown>
}

/** Finds somebody and adds them; stays open for the next. */
export function AddPerson({ opened, onClose, group, already, as, add }: Props) {
  const { t } = useTranslation(['groups', 'app'])
  const me = useMe()
  const searches = mayUse(me, 'app_sso_admin')
  const [typed, type] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 200)
  const { data: found, error, refetch } = useQuery({ ...foundPeople(me, q), enabled: opened && q !== '' })
  const adding = useMutation({
    mutationFn: ({ uid }: { uid: string; name: string }) => add({ group, uid }),
    onSuccess: (_, { name }) => told(t(`add.${as}.done`, { name, group })),
  })
  const isThere = (uid: string) => already.some((dn) => isSame(nameOf(dn), uid))
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => {
        type('')
        adding.reset()
      }}
      title={t(`add.${as}.title`, { group })}
    >
      <TextInput
        type="search"
        label={t('add.find')}
        description={t(searches ? 'add.bySearch' : 'add.byUsername')}
        value={typed}
        onChange={(event) => {
          type(event.currentTarget.value)
          adding.reset()
        }}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className="groups-found" aria-live="polite">
        {error && <Failed error={error} onRetry={refetch} />}
        {adding.error && <Failed error={adding.error} />}
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
                <div className="groups-end">
                  {isThere(one.uid) ? (
                    <Text size="sm" c="dimmed">
                      {t(`add.${as}.already`)}
                    </Text>
                  ) : (
                    <Button
                      size="xs"
                      aria-label={t('add.addOf', { name })}
                      loading={adding.isPending && adding.variables.uid === one.uid}
                      onClick={() => adding.mutate({ uid: one.uid, name })}
                    >
                      {t('add.add')}
                    </Button>
                  )}
                </div>
              </li>
            )
          })}
        </ul>
      </div>
    </Dialog>
  )
}
