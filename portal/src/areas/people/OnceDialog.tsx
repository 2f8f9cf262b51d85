import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { Once } from './Once.tsx'

type Props = {
  opened: boolean
  onClose: () => void
  title: string
  /** What will happen, by name and number. */
  question: ReactNode
  action: string
  /** False while something that has to be given first is missing. */
  ready?: boolean
  onConfirm: () => void
  busy: boolean
  error: unknown
  /** What came of it; until then it asks. */
  secret: string | undefined
  label: string
  children: ReactNode
  /** Forgets the secret, once nobody sees it any more. */
  onGone: () => void
}

/** Asks, and then shows the secret that was made, once. A click beside it does not close it while the secret is shown. */
export function OnceDialog(props: Props) {
  const {
    opened,
    onClose,
    title,
    question,
    action,
    ready = true,
    onConfirm,
    busy,
    error,
    secret,
    label,
    children,
    onGone,
  } = props
  const { t } = useTranslation()
  return (
    <Modal
      {...{ opened, onClose, title }}
      centered
      closeOnClickOutside={secret === undefined}
      onExitTransitionEnd={onGone}
    >
      <Stack gap="md">
        {secret === undefined ? (
          <>
            <Text component="div" size="sm">
              {question}
            </Text>
            {error !== null && <Failed error={error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} data-autofocus={ready || undefined}>
                {t('cancel')}
              </Button>
              <Button loading={busy} disabled={!ready} onClick={onConfirm}>
                {action}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Once secret={secret} label={label} />
            <Text component="div" size="sm">
              {children}
            </Text>
            <Group justify="flex-end">
              <Button onClick={onClose}>{t('close')}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  )
}
