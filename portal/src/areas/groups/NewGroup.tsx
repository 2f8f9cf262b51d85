import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { isSame } from '../../parts/names.ts'
import { told } from '../../parts/told.ts'
import { FindPerson } from './FindPerson.tsx'
import { create } from './queries.ts'

type Props = { opened: boolean; onClose: () => void }
const blank = { name: '', description: '' }

/** Makes a group and says whose it is; then it is opened. */
export function NewGroup({ opened, onClose }: Props) {
  const { t } = useTranslation(['groups', 'app'])
  const me = useMe()
  const navigate = useNavigate()
  const [given, give] = useState(blank)
  const [owner, setOwner] = useState(me.uid)
  const [typed, type] = useState<string>()
  const making = useMutation({
    mutationFn: () => create({ ...given, owner }, me),
    onSuccess: ({ cn, kept }) => {
      onClose()
      told(t(kept ? 'new.kept' : 'new.done', { group: cn, owner }))
      void navigate({ to: '/admin/groups/$name', params: { name: cn } })
    },
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => {
        give(blank)
        setOwner(me.uid)
        type(undefined)
        making.reset()
      }}
      title={t(typed === undefined ? 'new.title' : 'new.ownerTitle')}
    >
      {typed === undefined ? (
        <form onSubmit={save}>
          <Stack gap="md">
            <TextInput
              ref={focused}
              label={t('new.name')}
              description={t('new.nameHint')}
              value={given.name}
              onChange={({ currentTarget: { value: name } }) => give({ ...given, name })}
              maxLength={64}
              required
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              data-autofocus
            />
            <Textarea
              label={t('new.description')}
              value={given.description}
              onChange={({ currentTarget: { value: description } }) => give({ ...given, description })}
              maxLength={1024}
              autosize
              minRows={2}
              maxRows={6}
            />
            <Group justify="space-between" gap="sm" wrap="nowrap">
              <Text size="sm">{t(isSame(owner, me.uid) ? 'new.yours' : 'new.theirs', { owner })}</Text>
              <Button size="xs" variant="default" flex="none" onClick={() => type('')}>
                {t('new.choose')}
              </Button>
            </Group>
            {making.error && <Failed error={making.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {t('app:cancel')}
              </Button>
              <Button type="submit" loading={making.isPending}>
                {t('new.make')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <>
          <FindPerson typed={typed} onType={type}>
            {({ uid, name }) => (
              <Button
                size="xs"
                variant="default"
                aria-label={t('nest.chooseOf', { name })}
                onClick={() => {
                  setOwner(uid)
                  type(undefined)
                }}
              >
                {t('nest.choose')}
              </Button>
            )}
          </FindPerson>
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={() => type(undefined)}>
              {t('new.back')}
            </Button>
          </Group>
        </>
      )}
    </Dialog>
  )
}
