import { Button, Group as Row, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { told } from '../../parts/told.ts'
import type { Group } from './queries.ts'
import { describeGroup } from './queries.ts'

type Props = { group: Group; opened: boolean; onClose: () => void }

/** Says anew what a group is for; its name stays, since others know it by that. */
export function DescribeGroup({ group, opened, onClose }: Props) {
  const { t } = useTranslation('groups')
  return (
    <Dialog opened={opened} onClose={onClose} title={t('describe.title', { group: group.cn })}>
      <Form group={group} onClose={onClose} />
    </Dialog>
  )
}

/** Made when the dialog opens: it begins with what stands there then. */
function Form({ group: { cn, description }, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation(['groups', 'app'])
  const [text, write] = useState(description)
  const saving = useMutation({
    mutationFn: () => describeGroup(cn, text),
    onSuccess: () => {
      onClose()
      told(t('describe.done', { group: cn }))
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Stack gap="md">
        <Textarea
          label={t('new.description')}
          description={t('describe.hint')}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
          maxLength={1024}
          autosize
          minRows={2}
          maxRows={8}
          data-autofocus
        />
        {saving.error && <Failed error={saving.error} />}
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('app:cancel')}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {t('app:save')}
          </Button>
        </Row>
      </Stack>
    </form>
  )
}
