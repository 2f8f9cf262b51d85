import { TagsInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { found } from './queries.ts'

type Props = { what: 'group' | 'users'; names: string[]; onChange: (names: string[]) => void }

/** Groups or people by name, found while one types. */
export function NamesField({ what, names, onChange }: Props) {
  const { t } = useTranslation('notifications')
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [q] = useDebouncedValue(typed.trim(), 200)
  const { data: known = [] } = useQuery({ ...found(what, q), placeholderData: keepPreviousData })
  // What was found for less than is typed by now must not be there to be chosen.
  const offered = known.filter(({ value, said }) =>
    `${value} ${said}`.toLowerCase().includes(typed.trim().toLowerCase()),
  )
  const field = useRef<HTMLInputElement>(null)
  // The component goes on naming the option that was chosen as the active one, when it is no longer in the list.
  useEffect(() => {
    const active = field.current?.getAttribute('aria-activedescendant')
    if (active && !document.getElementById(active)) field.current?.removeAttribute('aria-activedescendant')
  })
  const data = offered.map(({ value }) => value).filter((value) => !names.includes(value))
  return (
    <TagsInput
      ref={field}
      label={t(`recipients.names.${what}`)}
      description={t(`recipients.namesHint.${what}`)}
      value={names}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={data}
      // A list without options is not there, and must not be said to be open.
      dropdownOpened={isOpen && data.length > 0}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      filter={({ options }) => options}
      renderOption={({ option }) => {
        const said = offered.find(({ value }) => value === option.value)?.said
        return (
          <span>
            <bdi>{option.value}</bdi> <span className="notes-option">{said}</span>
          </span>
        )
      }}
      comboboxProps={{ withinPortal: false }}
      acceptValueOnBlur
      clearable={false}
    />
  )
}
