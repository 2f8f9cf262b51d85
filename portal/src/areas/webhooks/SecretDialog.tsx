import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { Dialog } from '../../parts/Dialog.tsx'

type Props = { secret: string | undefined; isNew: boolean; onClose: () => void }

/** A secret that was made, shown this once; a click beside it does not close it. */
export function SecretDialog({ secret, isNew, onClose }: Props) {
  const { t } = useTranslation('webhooks')
  return (
    <Dialog
      opened={secret !== undefined}
      onClose={onClose}
      title={t('secret.title')}
      closeOnClickOutside={false}
      size="lg"
    >
      <Stack gap="md">
        <Text size="sm">{t(isNew ? 'secret.text' : 'secret.replaced')}</Text>
        <CopyField label={t('secret.label')} value={secret ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('secret.kept')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
