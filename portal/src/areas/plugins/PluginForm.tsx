import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { SchemaField, tidy } from '../../parts/SchemaField.tsx'
import type { Fault } from '../../parts/schema.ts'
import { faultOf } from '../../parts/schema.ts'
import { useRefused } from '../../parts/useRefused.ts'
import type { PluginType, Written } from './queries.ts'

type Props = {
  type: PluginType
  initial: Written
  action: string
  onSubmit: (written: Written) => void
  busy: boolean
  error: unknown
  hint?: ReactNode
}

const idOf = (field: string) => `plugin-${field}`

/** Name, schedule and what the type's schema asks for; what the service refuses stands at the field it names. */
export function PluginForm({ type, initial, action, onSubmit, busy, error, hint }: Props) {
  const { t } = useTranslation(['plugins', 'forms'])
  const { properties = {}, required = [] } = type.configSchema
  const [name, setName] = useState(initial.name)
  const [cron, setCron] = useState(initial.cron ?? '')
  const [config, setConfig] = useState(initial.config)
  const [faults, setFaults] = useState<Record<string, Fault>>({})
  const written = asGiven({ name, cron, config })
  const isChanged = JSON.stringify(written) !== JSON.stringify(asGiven(initial))
  const inWords = useRefused()
  const refused = useMemo(() => refusalOf(error, type), [error, type])
  // Once for each refusal, not for what is typed after it.
  useEffect(() => {
    if (refused) document.getElementById(idOf(refused.field))?.focus()
  }, [refused])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found: Record<string, Fault> = {}
    for (const [field, schema] of Object.entries(properties)) {
      const fault = faultOf(schema, tidy(config[field]), required.includes(field))
      if (fault) found[field] = fault
    }
    setFaults(found)
    const [first] = Object.keys(found)
    if (first !== undefined) return document.getElementById(idOf(first))?.focus()
    onSubmit(written)
  }
  const errorAt = (field: string) => {
    const fault = faults[field]
    if (fault) return t(`forms:fault.${fault.key}`, { ...fault.values })
    return refused?.field === field ? (inWords(refused.said) ?? refused.said) : undefined
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          id={idOf('name')}
          label={t('form.name')}
          description={t('form.nameHint')}
          required
          withAsterisk={false}
          maxLength={64}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={errorAt('name') ?? errorAt('slug')}
        />
        {Object.entries(properties).map(([field, schema]) => (
          <SchemaField
            key={field}
            id={idOf(field)}
            label={field}
            description={schema.description && <span lang="en">{schema.description}</span>}
            schema={schema}
            required={required.includes(field)}
            value={config[field]}
            onChange={(value) => setConfig({ ...config, [field]: value })}
            error={errorAt(field)}
          />
        ))}
        <TextInput
          id={idOf('cron')}
          label={t('form.cron')}
          description={t('form.cronHint')}
          placeholder="0 3 * * *"
          maxLength={128}
          classNames={{ input: 'schema-number' }}
          spellCheck={false}
          value={cron}
          onChange={({ currentTarget }) => setCron(currentTarget.value)}
          error={errorAt('cron')}
        />
        {hint && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
        {error !== null && error !== undefined && !refused && <Failed error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
        <AsksToLeave when={!busy && isChanged} />
      </Stack>
    </form>
  )
}

/** Without what makes no difference, in an order of its own. */
function asGiven({ name, cron, config }: Written): Written {
  return { name: name.trim(), cron: cron?.trim() || null, config: given(config) }
}

/** Settings as they are sent: what is empty is not given, so that the default of the type counts. */
function given(config: Record<string, unknown>): Record<string, unknown> {
  const tidied = Object.entries(config).map(([field, value]) => [field, tidy(value)] as const)
  return Object.fromEntries(
    tidied.filter(([, value]) => value !== undefined && value !== '').sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The field that a refusal names, and what it says of it. */
function refusalOf(
  error: unknown,
  { configSchema }: PluginType,
): { field: string; said: string } | undefined {
  if (!(error instanceof Failure) || error.name !== 'InvalidInput') return undefined
  const { message } = error
  const field = [...Object.keys(configSchema.properties ?? {}), 'cron', 'name', 'slug'].find((each) =>
    new RegExp(`^(config\\.)?${each}\\b`).test(message),
  )
  return field === undefined ? undefined : { field, said: message }
}
