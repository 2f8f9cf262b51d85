import { Alert, Button, Code, CopyButton, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconCheck, IconCopy } from '../../parts/icons.tsx'
import { makeToken, tokens } from './queries.ts'
import { useTask } from './useTask.ts'

const days = ['7', '30', '90', '365'] as const
const initialValues = { name: '', scope: 'read' as 'read' | 'write', days: '30' }

/** Makes a token for a program, and shows it this once. */
export function NewAccessToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation(['account', 'app'])
  const [made, setMade] = useState<string>()
  const form = useForm({ initialValues })
  const making = useTask<typeof initialValues>({
    does: async ({ name, scope, days }) =>
      setMade((await makeToken({ name: name.trim(), scope, expires_in_days: Number(days) })).token),
    says: t('tokens.made'),
    renews: tokens.queryKey,
  })
  const forget = () => {
    setMade(undefined)
    form.reset()
    making.reset()
  }
  return (
    <Dialog opened={opened} onClose={onClose} onExitTransitionEnd={forget} title={t('tokens.new')}>
      {made === undefined ? (
        <form onSubmit={form.onSubmit((values) => making.mutate(values))}>
          <Stack gap="md">
            <TextInput
              label={t('tokens.name')}
              description={t('tokens.nameHint')}
              required
              withAsterisk={false}
              maxLength={64}
              data-autofocus
              {...form.getInputProps('name')}
            />
            <NativeSelect
              label={t('tokens.may')}
              data={(['read', 'write'] as const).map((value) => ({
                value,
                label: t(`tokens.scopeLong.${value}`),
              }))}
              {...form.getInputProps('scope')}
            />
            <NativeSelect
              label={t('tokens.lives')}
              data={days.map((value) => ({ value, label: t('tokens.days', { count: Number(value) }) }))}
              {...form.getInputProps('days')}
            />
            {making.error && <Failed error={making.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {t('app:cancel')}
              </Button>
              <Button type="submit" loading={making.isPending}>
                {t('tokens.make')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Alert color="yellow">{t('tokens.once')}</Alert>
          <Code block className="secret">
            {made}
          </Code>
          <Group justify="flex-end" gap="xs">
            <CopyButton value={made}>
              {({ copied, copy }) => (
                <Button
                  variant="default"
                  onClick={copy}
                  leftSection={copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
                >
                  {t(copied ? 'app:copied' : 'app:copy')}
                </Button>
              )}
            </CopyButton>
            <Button onClick={onClose}>{t('tokens.kept')}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
