import { Button, Group, Progress, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { told } from '../../parts/told.ts'
import { Assign, nothingAssigned } from './Assign.tsx'
import { readAddresses } from './addresses.ts'
import { Checked } from './Checked.tsx'
import { Outcome } from './Outcome.tsx'
import { invited } from './queries.ts'
import { done, useSending } from './useSending.ts'

type Props = { opened: boolean; onClose: () => void }
const nobody: ReadonlySet<string> = new Set()

/** Invites one or many: what cannot be sent stays in the field, with its reason beside it. */
export function InvitePeople({ opened, onClose }: Props) {
  const { t } = useTranslation(['invites', 'app'])
  const [pasted, paste] = useState('')
  const [assigned, assign] = useState(nothingAssigned)
  const { data: open = nobody } = useQuery({ ...invited, enabled: opened })
  const { state, busy, send, stop, forget } = useSending()
  const { good, wrong } = readAddresses(pasted, open)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (good.length === 0 || busy) return
    const { sent, unmailed, failed } = await send(good, assigned)
    const gone = new Set([...sent, ...unmailed.map(({ mail }) => mail)])
    const left = [...good.filter((mail) => !gone.has(mail)), ...wrong.map(({ text }) => text)]
    paste(left.join('\n'))
    if (sent.length > 0) told(t('new.sent', { count: sent.length, name: sent[0] }))
    if (left.length === 0 && unmailed.length === 0 && failed.length === 0) onClose()
  }
  const clear = () => {
    paste('')
    assign(nothingAssigned)
    forget()
  }
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={clear}
      title={t('new.title')}
      size="lg"
      // What was typed is not lost by a click beside it, nor what is under way by Escape.
      closeOnClickOutside={pasted === ''}
      closeOnEscape={!busy}
      withCloseButton={!busy}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {state && !busy && <Outcome of={state} />}
          <Textarea
            label={t('new.addresses')}
            description={t('new.addressesHint')}
            value={pasted}
            onChange={(event) => paste(event.currentTarget.value)}
            rows={Math.min(10, Math.max(3, pasted.split('\n').length))}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            readOnly={busy}
            data-autofocus
          />
          {!busy && <Checked good={good.length} wrong={wrong} />}
          <Assign value={assigned} onChange={assign} />
          {state && busy && (
            <div>
              <Text size="sm" mb={6} role="status">
                {t('new.progress', { done: done(state), total: state.total })}
              </Text>
              <Progress value={(done(state) / state.total) * 100} aria-label={t('new.progressName')} />
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            {busy ? (
              <Button variant="default" onClick={stop}>
                {t('new.stop')}
              </Button>
            ) : (
              <Button variant="default" onClick={onClose}>
                {t(state ? 'app:close' : 'app:cancel')}
              </Button>
            )}
            <Button type="submit" loading={busy} disabled={good.length === 0}>
              {good.length === 0 ? t('new.sendNone') : t('new.send', { count: good.length })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
