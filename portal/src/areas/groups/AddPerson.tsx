import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { isSame, nameOf } from '../../parts/names.ts'
import { told } from '../../parts/told.ts'
import { Effect, useEffectOf } from './Effect.tsx'
import { FindPerson } from './FindPerson.tsx'
import type { Who } from './queries.ts'

type Props = {
  opened: boolean
  onClose: () => void
  group: string
  /** Those who are in the list already, by distinguished name. */
  already: readonly string[]
  as: 'member' | 'owner'
  add: (who: Who) => Promise<unknown>
}
type Found = { uid: string; name: string }

/** Finds somebody and adds them, a member once it is said what that gives them; stays open for the next. */
export function AddPerson({ opened, onClose, group, already, as, add }: Props) {
  const { t } = useTranslation('groups')
  const [typed, type] = useState('')
  const [chosen, choose] = useState<Found>()
  const adding = useMutation({
    mutationFn: ({ uid }: Found) => add({ group, uid }),
    onSuccess: (_, { name }) => {
      choose(undefined)
      told(t(`add.${as}.done`, { name, group }))
    },
  })
  const isThere = (uid: string) => already.some((dn) => isSame(nameOf(dn), uid))
  const start = (one: Found) => {
    adding.reset()
    if (as === 'member') choose(one)
    else adding.mutate(one)
  }
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => {
        type('')
        choose(undefined)
        adding.reset()
      }}
      title={chosen ? t('add.member.titleOf', { name: chosen.name, group }) : t(`add.${as}.title`, { group })}
    >
      {adding.error && <Failed error={adding.error} />}
      {chosen ? (
        <Preview
          {...{ group, uid: chosen.uid, busy: adding.isPending }}
          onBack={() => choose(undefined)}
          onSave={() => adding.mutate(chosen)}
        />
      ) : (
        <FindPerson typed={typed} onType={type}>
          {(one) =>
            isThere(one.uid) ? (
              <Text size="sm" c="dimmed">
                {t(`add.${as}.already`)}
              </Text>
            ) : (
              <Button
                size="xs"
                aria-label={t('add.addOf', { name: one.name })}
                loading={adding.isPending && adding.variables.uid === one.uid}
                onClick={() => start(one)}
              >
                {t('add.add')}
              </Button>
            )
          }
        </FindPerson>
      )}
    </Dialog>
  )
}

type PreviewProps = { group: string; uid: string; busy: boolean; onBack: () => void; onSave: () => void }

function Preview({ group, uid, busy, onBack, onSave }: PreviewProps) {
  const { t } = useTranslation('groups')
  const { data } = useEffectOf({ group, change: 'addMember', name: uid })
  return (
    <form
      ref={focused}
      tabIndex={-1}
      className="groups-step"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      <Stack gap="md">
        <div aria-live="polite">
          <Effect group={group} change="addMember" name={uid} />
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('add.back')}
          </Button>
          <Button type="submit" loading={busy} disabled={!data}>
            {t('member.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
