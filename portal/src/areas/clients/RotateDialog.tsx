import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { rotate } from './changes.ts'
import { Losses } from './Losses.tsx'
import type { Client } from './types.ts'

type Props = { client: Client; opened: boolean; onClose: () => void }

/** Asks by name, then shows the new secret once. It is not left unasked before the secret was copied. */
export function RotateDialog({ client, opened, onClose }: Props) {
  const { t } = useTranslation(['clients', 'app'])
  const { client_id, name } = client
  const [typed, type] = useState('')
  const [isKept, keep] = useState(false)
  const [asks, ask] = useState(false)
  const rotating = useMutation({ mutationFn: () => rotate(client_id), gcTime: 0 })
  const secret = rotating.data
  const isAtRisk = opened && secret !== undefined && !isKept
  const elsewhere = useBlocker({
    shouldBlockFn: () => isAtRisk,
    enableBeforeUnload: () => isAtRisk,
    withResolver: true,
  })
  const leaving = isAtRisk && (asks || elsewhere.status === 'blocked')
  const stay = () => {
    ask(false)
    elsewhere.reset?.()
  }
  const close = () => (leaving ? stay() : isAtRisk ? ask(true) : onClose())
  const title = leaving ? 'secret.leaveTitle' : secret === undefined ? 'do.rotate.title' : 'do.rotate.done'
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t(title, { name })}
      closeOnClickOutside={secret === undefined}
      onExitTransitionEnd={() => {
        type('')
        keep(false)
        ask(false)
        rotating.reset()
      }}
    >
      {secret === undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            rotating.mutate()
          }}
        >
          <Stack gap="md">
            <Text component="div" size="sm">
              {t('do.rotate.text', { name })}
              {opened && <Losses client={client} />}
            </Text>
            <TextInput
              label={t('app:confirm.type', { text: name })}
              value={typed}
              onChange={(event) => type(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            {rotating.error && <Failed error={rotating.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {t('app:cancel')}
              </Button>
              <Button type="submit" color="red" loading={rotating.isPending} disabled={typed !== name}>
                {t('do.rotate.action')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
      {secret !== undefined && !leaving && (
        <Stack gap="md">
          <Text size="sm">{t('do.rotate.once', { name })}</Text>
          <CopyField
            label={t('connect.client_secret')}
            value={secret}
            onCopied={() => keep(true)}
            takesFocus
          />
          <Group justify="flex-end">
            <Button onClick={close}>{t('app:close')}</Button>
          </Group>
        </Stack>
      )}
      {leaving && (
        <Stack gap="md">
          <Text size="sm">{t('secret.leaveText', { name })}</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={stay} ref={focused}>
              {t('secret.back')}
            </Button>
            <Button
              color="red"
              onClick={() => (elsewhere.status === 'blocked' ? elsewhere.proceed() : onClose())}
            >
              {t('secret.leave')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
