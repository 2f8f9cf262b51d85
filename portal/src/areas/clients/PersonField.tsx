import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { foundPeople } from './queries.ts'

type Props = { label: string; value: string; onChange: (uid: string) => void; error?: string | undefined }

/** Somebody by username; administrators find it by any part of the name. */
export function PersonField({ label, value, onChange, error }: Props) {
  const { t } = useTranslation('clients')
  const me = useMe()
  const [q] = useDebouncedValue(value.trim(), 200)
  const { data: people = [] } = useQuery({ ...foundPeople(me, q), placeholderData: (before) => before })
  const names = new Map(people.map((one) => [one.uid, [one.givenName, one.sn].filter(Boolean).join(' ')]))
  return (
    <Autocomplete
      label={label}
      description={t(mayUse(me, 'app_sso_admin') ? 'preview.bySearch' : 'preview.byUsername')}
      data={[...names.keys()]}
      value={value}
      onChange={onChange}
      error={error}
      // The service has searched already, in names and addresses too.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span className="client-option">
          <bdi>{names.get(option.value) || option.value}</bdi>
          <span>{option.value}</span>
        </span>
      )}
      comboboxProps={{ withinPortal: false }}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
    />
  )
}
