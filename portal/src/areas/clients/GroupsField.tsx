import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { foundGroups } from './queries.ts'

type Props = { value: string[]; onChange: (groups: string[]) => void }

/** The groups that may use an application, found by name or purpose. */
export function GroupsField({ value, onChange }: Props) {
  const { t } = useTranslation('clients')
  const [typed, type] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 150)
  const { data: groups = [], isFetching } = useQuery({
    ...foundGroups(q),
    placeholderData: (before) => before,
  })
  const purpose = new Map(groups.map(({ cn, description }) => [cn, description]))
  return (
    <MultiSelect
      label={t('fields.allowed_groups.label')}
      description={t(value.length === 0 ? 'fields.allowed_groups.nobody' : 'fields.allowed_groups.hint')}
      placeholder={t('fields.allowed_groups.find')}
      data={[...new Set([...value, ...groups.map(({ cn }) => cn)])]}
      value={value}
      onChange={onChange}
      searchable
      searchValue={typed}
      onSearchChange={type}
      hidePickedOptions
      // The service has searched already, in purposes too; what was chosen before is not among what it found.
      filter={({ options }) => options.filter((option) => 'value' in option && purpose.has(option.value))}
      renderOption={({ option }) => (
        <span className="client-option">
          <bdi>{option.value}</bdi>
          <span>{purpose.get(option.value)}</span>
        </span>
      )}
      nothingFoundMessage={
        isFetching ? t('fields.allowed_groups.searching') : t('fields.allowed_groups.none')
      }
      comboboxProps={{ withinPortal: false }}
    />
  )
}
