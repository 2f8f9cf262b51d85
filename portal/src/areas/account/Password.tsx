import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { changePassword, sessions } from './queries.ts'
import { useTask } from './useTask.ts'

const empty = { current: '', password: '', confirm: '' }

/** A new password; the one so far is always asked for. */
export function Password() {
  const { t } = useTranslation('account')
  const { uid } = useMe()
  const form = useForm({
    initialValues: empty,
    validate: {
      password: (value) => (value.length < 8 ? t('password.short') : null),
      confirm: (value, { password }) => (value === password ? null : t('password.differs')),
    },
  })
  const saving = useTask<typeof empty>({
    does: changePassword,
    says: t('password.changed'),
    renews: sessions.queryKey,
    after: () => form.reset(),
  })
  const shared = { maxLength: 128, withAsterisk: false, required: true }
  const visible = { 'aria-label': t('password.show') }
  return (
    <Panel title={t('password.title')} lead={t('password.lead')}>
      <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        <Stack gap="sm" maw={420}>
          <input type="text" name="username" autoComplete="username" value={uid} readOnly hidden />
          <PasswordInput
            label={t('password.current')}
            autoComplete="current-password"
            visibilityToggleButtonProps={visible}
            {...shared}
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label={t('password.new')}
            description={t('password.rule')}
            autoComplete="new-password"
            visibilityToggleButtonProps={visible}
            {...shared}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t('password.again')}
            autoComplete="new-password"
            visibilityToggleButtonProps={visible}
            {...shared}
            {...form.getInputProps('confirm')}
          />
          {saving.error && <Failed error={saving.error} />}
          <Group>
            <Button type="submit" loading={saving.isPending}>
              {t('password.change')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
