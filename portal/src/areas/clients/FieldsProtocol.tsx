import { Checkbox, NativeSelect, Radio, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/Panel.tsx'
import type { Form } from './FieldsIdentity.tsx'
import type { Lifetimes } from './fields.ts'
import { algorithms, device, grantTypes, scopes } from './fields.ts'
import { useDuration } from './useDuration.ts'

/** How it proves who it is, and by which ways it gets tokens. */
export function Method({ form }: { form: Form }) {
  const { t } = useTranslation('clients')
  const isPublic = form.values.kind === 'public'
  const flag = (name: 'require_pkce' | 'skip_consent') => form.getInputProps(name, { type: 'checkbox' })
  return (
    <Panel title={t('fields.method')}>
      <Stack gap="lg">
        <Radio.Group label={t('fields.kind.label')} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            {(['confidential', 'public'] as const).map((kind) => (
              <Radio key={kind} value={kind} label={t(kind)} description={t(`fields.kind.${kind}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <Switch
          label={t('fields.require_pkce.label')}
          description={t(isPublic ? 'fields.require_pkce.public' : 'fields.require_pkce.hint')}
          disabled={isPublic}
          {...flag('require_pkce')}
          {...(isPublic ? { checked: true } : {})}
        />
        <Switch
          label={t('fields.skip_consent.label')}
          description={t('fields.skip_consent.hint')}
          {...flag('skip_consent')}
        />
        <Checkbox.Group label={t('fields.grant_types.label')} {...form.getInputProps('grant_types')}>
          <Stack gap="xs" mt="xs">
            {grantTypes.map((type) => (
              <Checkbox
                key={type}
                value={type}
                label={t(`fields.grant_types.${type === device ? 'device' : type}`)}
                description={t(`fields.grant_types.${type === device ? 'device' : type}Hint`)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Stack>
    </Panel>
  )
}

/** What it is told of people. */
export function Told({ form }: { form: Form }) {
  const { t } = useTranslation('clients')
  const { groups_claim, allowed_groups } = form.values
  return (
    <Panel title={t('fields.told')} lead={t('fields.toldLead')}>
      <Stack gap="lg">
        <Checkbox.Group label={t('fields.scopes.label')} {...form.getInputProps('scopes')}>
          <Stack gap="xs" mt="xs">
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={<code>{scope}</code>}
                description={t(`fields.scopes.${scope}`)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <TextInput
          label={t('fields.otherScopes.label')}
          description={t('fields.otherScopes.hint')}
          spellCheck={false}
          autoCapitalize="none"
          {...form.getInputProps('otherScopes')}
        />
        <Radio.Group label={t('fields.groups_claim.label')} {...form.getInputProps('groups_claim')}>
          <Stack gap="xs" mt="xs">
            {(['all', 'allowed', 'patterns'] as const).map((choice) => (
              <Radio
                key={choice}
                value={choice}
                label={t(`fields.groups_claim.${choice}`)}
                description={
                  choice === 'allowed' && groups_claim === 'allowed' && allowed_groups.length === 0
                    ? t('fields.groups_claim.allowedNone')
                    : t(`fields.groups_claim.${choice}Hint`)
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        {groups_claim === 'patterns' && (
          <Textarea
            label={t('fields.patterns.label')}
            description={t('fields.patterns.hint')}
            autosize
            minRows={2}
            maxRows={8}
            required
            withAsterisk={false}
            spellCheck={false}
            autoCapitalize="none"
            className="client-uris"
            {...form.getInputProps('patterns')}
          />
        )}
        <Switch
          label={t('fields.groups_in_id_token.label')}
          description={t('fields.groups_in_id_token.hint')}
          {...form.getInputProps('groups_in_id_token', { type: 'checkbox' })}
        />
      </Stack>
    </Panel>
  )
}

/** How long what it gets is good for, and what signs it. */
export function Tokens({ form, usual }: { form: Form; usual: Lifetimes }) {
  const { t } = useTranslation('clients')
  const duration = useDuration()
  return (
    <Panel title={t('fields.tokens')}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {(['access_token', 'refresh_token'] as const).map((name) => (
          <TextInput
            key={name}
            type="number"
            inputMode="numeric"
            min={1}
            max={315_360_000}
            step={1}
            label={t(`fields.${name}.label`)}
            description={
              form.values[name] === ''
                ? t('fields.lifetimeUsual', { duration: duration(usual[name]) })
                : t('fields.lifetime', { duration: duration(Number(form.values[name])) })
            }
            placeholder={String(usual[name])}
            {...form.getInputProps(name)}
          />
        ))}
        <NativeSelect
          label={t('fields.id_token_signed_response_alg.label')}
          description={t('fields.id_token_signed_response_alg.hint')}
          data={[...algorithms]}
          {...form.getInputProps('id_token_signed_response_alg')}
        />
      </SimpleGrid>
    </Panel>
  )
}
