import { MultiSelect, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { useSaid } from '../../parts/useSaid.ts'
import { foundGroups } from './queries.ts'

/** Groups by which the service lets people administer it. */
const isPower = (name: string) => /^app_sso_/i.test(name)

type Props = { value: string[]; onChange: (names: string[]) => void }

/** Groups that a new account joins, found by a part of their name. */
export function GroupsField({ value, onChange }: Props) {
  const { t } = useTranslation('invites')
  const said = useSaid()
  const [typed, type] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 150)
  const { data: found = [], error, isPlaceholderData } = useQuery(foundGroups(q))
  // What was found for less than is typed by now must not be there to be chosen.
  const isStale = isPlaceholderData || typed.trim() !== q
  const offered = isStale
    ? found.filter((name) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    : found
  const powers = value.filter(isPower)
  return (
    <div>
      <MultiSelect
        label={t('new.groups')}
        description={t('new.groupsHint')}
        data={[...new Set([...value, ...found.toSorted((a, b) => Number(isPower(a)) - Number(isPower(b)))])]}
        value={value}
        onChange={onChange}
        searchable
        searchValue={typed}
        onSearchChange={type}
        // The service has searched already.
        filter={({ options }) =>
          options.filter((one) => 'value' in one && offered.includes(String(one.value)))
        }
        nothingFoundMessage={t('new.noGroup')}
        error={error && said(error).sentence}
        comboboxProps={{ withinPortal: false }}
        autoComplete="off"
      />
      {powers.length > 0 && (
        <Text size="sm" mt={6} className="invites-power" role="status">
          <IconAlertTriangle size={16} aria-hidden /> {t('new.power', { groups: powers.join(', ') })}
        </Text>
      )}
    </div>
  )
}
