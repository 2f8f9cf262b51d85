import './schema.css'
import { Checkbox, Group, NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schema } from './schema.ts'

type Props = {
  /** Of the field, so that an error can be gone to. */
  id: string
  label: string
  description?: ReactNode
  schema: Schema
  /** undefined is none; a number that cannot be read is its text. */
  value: unknown
  onChange: (value: unknown) => void
  error?: ReactNode
  required?: boolean
  disabled?: boolean
  /** Goes in and never comes out; a blank keeps what there is. */
  secret?: boolean
  placeholder?: string
}

/** A field for one value, as its declared schema has it. */
export function SchemaField(props: Props) {
  const { schema, value, onChange, secret, required = false, placeholder, ...rest } = props
  const { t } = useTranslation('forms')
  const field = { ...rest, required, withAsterisk: false, error: props.error }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (secret)
    return (
      <PasswordInput
        {...field}
        required={false}
        value={text}
        placeholder={placeholder}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('reveal', { name: props.label }), tabIndex: 0 }}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  if (schema.type === 'boolean')
    return (
      <Switch
        {...rest}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )
  if (schema.enum)
    return (
      <NativeSelect
        {...field}
        value={text}
        data={[
          ...(required ? [] : [{ value: '', label: t('unset') }]),
          ...schema.enum.map((each) => String(each)),
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    )
  if (schema.type === 'array') return <ListField {...props} />
  if (schema.type === 'integer' || schema.type === 'number')
    return (
      <TextInput
        {...field}
        classNames={{ input: 'schema-number' }}
        inputMode="numeric"
        value={text}
        placeholder={placeholder}
        onChange={({ currentTarget }) => onChange(numberIn(currentTarget.value))}
      />
    )
  if ((schema.maxLength ?? 0) > 1024 && schema.maxLength !== longestAddress)
    return (
      <Textarea
        {...field}
        rows={4}
        maxLength={schema.maxLength}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...field}
      maxLength={schema.maxLength}
      value={text}
      placeholder={placeholder}
      autoCapitalize="none"
      spellCheck={false}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** Of an address by which something is asked, in the schemas of the service: one line, however long. */
const longestAddress = 2048

/** Some of those there are, or lines of text. */
function ListField({ id, label, description, schema, value, onChange, error, disabled }: Props) {
  const { t } = useTranslation('forms')
  const list = Array.isArray(value) ? value.map(String) : []
  if (schema.items?.enum)
    return (
      <Checkbox.Group
        {...{ id, label, description, error, value: list }}
        onChange={(chosen) =>
          onChange(schema.items?.enum?.map(String).filter((each) => chosen.includes(each)))
        }
      >
        <Group gap="md" mt="xs">
          {schema.items.enum.map((each) => (
            <Checkbox key={String(each)} value={String(each)} label={String(each)} disabled={disabled} />
          ))}
        </Group>
      </Checkbox.Group>
    )
  return (
    <Textarea
      {...{ id, label, error, disabled }}
      description={
        <>
          {description} {t('lines')}
        </>
      }
      rows={Math.min(6, Math.max(2, list.length + 1))}
      autoCapitalize="none"
      spellCheck={false}
      value={list.join('\n')}
      onChange={({ currentTarget }) => onChange(linesOf(currentTarget.value))}
    />
  )
}

/** What is typed is kept as it is typed: an empty last line is the next entry. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** Lines without blanks around and between them, as they are to be saved. */
export function tidy(value: unknown): unknown {
  return Array.isArray(value) ? value.map((line) => String(line).trim()).filter(Boolean) : value
}

function numberIn(text: string): unknown {
  const typed = text.trim()
  if (typed === '') return undefined
  return /^-?\d+([.]\d+)?$/.test(typed) ? Number(typed) : text
}
