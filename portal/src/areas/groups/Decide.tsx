import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToDecide } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { told } from '../../parts/told.ts'
import { decide } from './queries.ts'

export type Asked = ToDecide[number]
type Props = { chosen: { request: Asked; how: 'approve' | 'deny' } | undefined; onClose: () => void }

/** A decision, with a word to whoever asked. */
export function Decide({ chosen, onClose }: Props) {
  const { t } = useTranslation(['groups', 'app'])
  const [decisionNote, setNote] = useState('')
  const how = chosen?.how ?? 'approve'
  const { id = '', uid = '', name = '' } = chosen?.request ?? {}
  const deciding = useMutation({
    mutationFn: () => decide({ id, how, decisionNote: decisionNote.trim() }),
    onSuccess: ({ results }) => {
      onClose()
      told(
        how === 'deny'
          ? t('decide.denied', { uid, name })
          : t('decide.approved', { uid, name, group: results.groupCn }),
      )
    },
  })
  return (
    <Dialog
      opened={chosen !== undefined}
      onClose={onClose}
      onExitTransitionEnd={() => {
        setNote('')
        deciding.reset()
      }}
      title={t(`decide.${how}Title`, { uid, name })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          deciding.mutate()
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t(`decide.${how}Text`, { uid, name })}</Text>
          <Textarea
            label={t('decide.note')}
            description={t('decide.noteHint', { uid })}
            value={decisionNote}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={1000}
            autosize
            minRows={2}
            maxRows={8}
            data-autofocus
          />
          {deciding.error && <Failed error={deciding.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('app:cancel')}
            </Button>
            <Button type="submit" loading={deciding.isPending} {...(how === 'deny' ? { color: 'red' } : {})}>
              {t(`decide.${how}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
