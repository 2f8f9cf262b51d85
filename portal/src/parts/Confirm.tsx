import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from './Dialog.tsx'
import { Failed } from './Failed.tsx'

type Props = {
  opened: boolean
  onClose: () => void
  /** A question that names what is at stake: “End 3 sessions?” */
  title: string
  /** What will happen, by name and number. */
  children: ReactNode
  /** The verb, as on the button that asked. */
  action: string
  onConfirm: () => void
  busy?: boolean
  /** False until what will happen is known. */
  ready?: boolean
  error?: unknown
  /** What has to be typed first, for what can never be undone. */
  typed?: string
  /** False for what takes nothing away. */
  danger?: boolean
}

/** Asks before anything is destroyed. */
export function Confirm(props: Props) {
  const { opened, onClose, title, children, action, onConfirm, typed } = props
  const { busy, ready = true, error, danger = true } = props
  const { t } = useTranslation()
  const [given, setGiven] = useState('')
  const [before, setBefore] = useState<unknown>()
  function forget() {
    setGiven('')
    setBefore(error) // the next question is about something else
  }
  return (
    <Dialog opened={opened} onClose={onClose} title={title} centered onExitTransitionEnd={forget}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm()
        }}
      >
        <Stack gap="md">
          <Text component="div" size="sm">
            {children}
          </Text>
          {typed !== undefined && (
            <TextInput
              label={t('confirm.type', { text: typed })}
              value={given}
              onChange={(event) => setGiven(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
          {error !== undefined && error !== null && error !== before && <Failed error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
              {t('cancel')}
            </Button>
            <Button
              type="submit"
              {...(danger ? { color: 'red' } : {})}
              loading={busy}
              disabled={!ready || (typed !== undefined && given !== typed)}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
