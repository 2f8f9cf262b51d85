import { Badge, Button, Group, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import type { Instance } from './queries.ts'
import { setSecret } from './queries.ts'

/** Its secrets: whether each is set, and a new one in its place. */
export function Secrets({ one, names }: { one: Instance; names: string[] }) {
  const { t } = useTranslation('plugins')
  return (
    <Panel title={t('secrets.title')} lead={t('secrets.lead')}>
      {names.map((name) => (
        <Secret key={name} one={one} name={name} isSet={Boolean(one.secrets[name])} />
      ))}
    </Panel>
  )
}

function Secret({ one, name, isSet }: { one: Instance; name: string; isSet: boolean }) {
  const { t } = useTranslation(['plugins', 'forms'])
  const [typed, setTyped] = useState('')
  const [asking, setAsking] = useState(false)
  const setting = useMutation({
    mutationFn: (value: string | null) => setSecret(one.id, name, value),
    onSuccess: (_, value) => {
      setTyped('')
      setAsking(false)
      told(t(value === null ? 'secrets.cleared' : 'secrets.kept', { name }))
    },
  })
  return (
    <div className="plugins-one-secret">
      <form
        className="plugins-secret"
        onSubmit={(event) => {
          event.preventDefault()
          setting.mutate(typed)
        }}
      >
        <PasswordInput
          label={
            <Group component="span" gap="xs">
              {name}
              <Badge component="span" variant="light" color={isSet ? 'green' : 'gray'} tt="none">
                {t(isSet ? 'secrets.set' : 'secrets.unset')}
              </Badge>
            </Group>
          }
          aria-label={name}
          placeholder={isSet ? t('secrets.replace') : ''}
          autoComplete="new-password"
          maxLength={8192}
          value={typed}
          visibilityToggleButtonProps={{ 'aria-label': t('forms:reveal', { name }), tabIndex: 0 }}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          disabled={typed === ''}
          loading={setting.isPending && !asking}
          aria-label={t('secrets.keepOf', { name })}
        >
          {t('secrets.keep')}
        </Button>
        {isSet && (
          <Button
            variant="subtle"
            onClick={() => setAsking(true)}
            aria-label={t('secrets.clearOf', { name })}
          >
            {t('secrets.clear')}
          </Button>
        )}
        {setting.error && !asking && (
          <div className="plugins-whole">
            <Failed error={setting.error} />
          </div>
        )}
      </form>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('secrets.clearTitle', { name })}
        action={t('secrets.clear')}
        onConfirm={() => setting.mutate(null)}
        busy={setting.isPending}
        error={setting.error}
      >
        {t('secrets.clearText', { name, plugin: one.name })}
      </Confirm>
    </div>
  )
}
