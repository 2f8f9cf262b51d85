import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { confirmCode, sendCode } from './queries.ts'
import { useTask } from './useTask.ts'

type Props = { kind: 'mail' | 'mobile'; address: string; opened: boolean; onClose: () => void }

/** Sends a code when it opens, and takes it. */
export function VerifyByCode({ kind, address, opened, onClose }: Props) {
  const { t } = useTranslation(['account', 'app'])
  const [code, setCode] = useState('')
  const sending = useMutation({ mutationFn: sendCode })
  const confirming = useTask<string>({
    does: confirmCode,
    says: t('verify.done', { address }),
    after: onClose,
  })
  const { mutate: send } = sending
  useEffect(() => {
    if (opened) send(kind)
  }, [opened, kind, send])
  const forget = () => {
    setCode('')
    sending.reset()
    confirming.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirming.mutate(code)
  }
  return (
    <Dialog opened={opened} onClose={onClose} onExitTransitionEnd={forget} title={t(`verify.title.${kind}`)}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" aria-live="polite">
            {t(sending.isSuccess ? 'verify.sent' : 'verify.sending', { address })}
          </Text>
          {sending.error && <Failed error={sending.error} onRetry={() => send(kind)} />}
          <TextInput
            label={t('verify.code')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={8}
            className="code-field"
            data-autofocus
          />
          {confirming.error && <Failed error={confirming.error} />}
          <Group justify="space-between">
            <Anchor component="button" type="button" size="sm" onClick={() => send(kind)}>
              {t('verify.again')}
            </Anchor>
            <Button type="submit" disabled={code.trim().length < 6} loading={confirming.isPending}>
              {t('verify.action')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
