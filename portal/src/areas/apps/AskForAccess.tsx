import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { told } from '../../parts/told.ts'
import type { Listed } from './queries.ts'
import { ask, myRequests } from './queries.ts'

/** Asks for access to an app, with a word to whoever decides. */
export function AskForAccess({ app, onClose }: { app: Listed | undefined; onClose: () => void }) {
  const { t } = useTranslation(['apps', 'app'])
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const asking = useMutation({
    mutationFn: ({ slug }: Listed) => ask(slug, note.trim()),
    onSuccess: async (_, { name }) => {
      onClose()
      told(t('ask.done', { name }))
      await client.invalidateQueries({ queryKey: myRequests.queryKey })
    },
  })
  const forget = () => {
    setNote('')
    asking.reset()
  }
  return (
    <Dialog
      opened={app !== undefined}
      onClose={onClose}
      onExitTransitionEnd={forget}
      title={t('ask.title', { name: app?.name ?? '' })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (app) asking.mutate(app)
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('ask.text')}</Text>
          <Textarea
            label={t('ask.note')}
            description={t('ask.noteHint')}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={1000}
            autosize
            minRows={3}
            maxRows={8}
            data-autofocus
          />
          {asking.error && <Failed error={asking.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('app:cancel')}
            </Button>
            <Button type="submit" loading={asking.isPending}>
              {t('ask.send')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
