import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Assign, nothingAssigned } from './Assign.tsx'
import { invite, renew } from './queries.ts'

type Props = { opened: boolean; onClose: () => void }

/** An invite for whoever has its link: it names no address, and is handed on by other ways than mail. */
export function MakeLink({ opened, onClose }: Props) {
  const { t } = useTranslation(['invites', 'app'])
  const [assigned, assign] = useState(nothingAssigned)
  const making = useMutation({ mutationFn: () => invite(assigned), onSuccess: renew })
  const clear = () => {
    assign(nothingAssigned)
    making.reset()
  }
  return (
    <Dialog opened={opened} onClose={onClose} onExitTransitionEnd={clear} title={t('link.title')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          making.mutate()
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t(making.data ? 'link.made' : 'link.text')}</Text>
          {making.data ? (
            <CopyField label={t('link.label')} value={making.data.link} />
          ) : (
            <Assign value={assigned} onChange={assign} />
          )}
          {making.error && <Failed error={making.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(making.data ? 'app:close' : 'app:cancel')}
            </Button>
            {!making.data && (
              <Button type="submit" loading={making.isPending}>
                {t('link.make')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
