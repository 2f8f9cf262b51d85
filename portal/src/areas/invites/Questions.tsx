import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { told } from '../../parts/told.ts'
import type { Doing } from './List.tsx'
import { linkOf, revoke } from './queries.ts'

type Props = { doing: Doing; opened: boolean; onClose: () => void }

/** What is asked and shown of one invite. */
export function Questions({ doing: { what, invite }, opened, onClose }: Props) {
  const { t } = useTranslation(['invites', 'app'])
  const { token, mail, created_by } = invite
  const name = mail ?? t('byLink')
  const revoking = useMutation({
    mutationFn: () => revoke(token),
    onSuccess: () => {
      onClose()
      told(t('revoke.done', { name }))
    },
  })
  return (
    <>
      <Confirm
        opened={opened && what === 'revoke'}
        onClose={() => {
          onClose()
          revoking.reset()
        }}
        title={mail ? t('revoke.title', { mail }) : t('revoke.titleLink')}
        action={t('revoke.action')}
        onConfirm={() => revoking.mutate()}
        busy={revoking.isPending}
        error={revoking.error}
      >
        {mail ? t('revoke.text', { mail }) : t('revoke.textLink', { by: created_by })}
      </Confirm>
      <Dialog
        opened={opened && what === 'link'}
        onClose={onClose}
        title={mail ? t('shown.title', { mail }) : t('shown.titleLink')}
        size="lg"
      >
        <Stack gap="md">
          <Text size="sm">{mail ? t('shown.text', { mail }) : t('shown.textLink')}</Text>
          <CopyField label={t('link.label')} value={linkOf(token)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app:close')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
