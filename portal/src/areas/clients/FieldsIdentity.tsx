import { SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/Panel.tsx'
import type { Values } from './fields.ts'
import { GroupsField } from './GroupsField.tsx'

export type Form = UseFormReturnType<Values>

/** What people see of it. */
export function General({ form }: { form: Form }) {
  const { t } = useTranslation('clients')
  return (
    <Panel title={t('fields.general')}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('fields.name.label')}
          description={t('fields.name.hint')}
          required
          withAsterisk={false}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('fields.logo_uri.label')}
          description={t('fields.logo_uri.hint')}
          type="url"
          maxLength={2000}
          placeholder="https://"
          {...form.getInputProps('logo_uri')}
        />
      </SimpleGrid>
      <Textarea
        mt="md"
        label={t('fields.description.label')}
        description={t('fields.description.hint')}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2000}
        {...form.getInputProps('description')}
      />
    </Panel>
  )
}

/** Where the browser may be sent. */
export function Addresses({ form }: { form: Form }) {
  const { t } = useTranslation('clients')
  const needed = form.values.grant_types.includes('authorization_code')
  return (
    <Panel title={t('fields.addresses')} lead={t('fields.addressesLead')}>
      <Stack gap="md">
        <Uris form={form} field="redirect_uris" required={needed} />
        <Uris form={form} field="post_logout_redirect_uris" />
        <TextInput
          label={t('fields.backchannel_logout_uri.label')}
          description={t('fields.backchannel_logout_uri.hint')}
          type="url"
          maxLength={2000}
          placeholder="https://"
          {...form.getInputProps('backchannel_logout_uri')}
        />
      </Stack>
    </Panel>
  )
}

type UrisProps = { form: Form; field: 'redirect_uris' | 'post_logout_redirect_uris'; required?: boolean }

/** One address in each line. */
function Uris({ form, field, required = false }: UrisProps) {
  const { t } = useTranslation('clients')
  return (
    <Textarea
      label={t(`fields.${field}.label`)}
      description={t(`fields.${field}.hint`)}
      autosize
      minRows={2}
      maxRows={12}
      required={required}
      withAsterisk={false}
      spellCheck={false}
      autoCapitalize="none"
      className="client-uris"
      {...form.getInputProps(field)}
    />
  )
}

/** Whom it lets in. */
export function Who({ form }: { form: Form }) {
  const { t } = useTranslation('clients')
  return (
    <Panel title={t('fields.who')} lead={t('fields.whoLead')}>
      <GroupsField
        value={form.values.allowed_groups}
        onChange={(groups) => form.setFieldValue('allowed_groups', groups)}
      />
    </Panel>
  )
}
