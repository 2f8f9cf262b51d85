import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconSearch } from './first-icons.tsx'

type Props = { label: string; value: string | undefined; onSearch: (q: string | undefined) => void }

/** Searches while one types; the address keeps what is searched for. */
export function SearchField({ label, value = '', onSearch }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(value)
  const search = useDebouncedCallback((q: string) => onSearch(q.trim() || undefined), 150)
  const shown = useRef(value)
  // The address may change by itself: back, forward, a link. What was typed since it was asked for stays.
  useEffect(() => {
    const was = shown.current.trim()
    shown.current = value
    setTyped((now) => (now.trim() === was ? value : now))
  }, [value])
  const change = (q: string) => {
    setTyped(q)
    search(q)
  }
  return (
    <TextInput
      type="search"
      role="searchbox"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
      rightSection={typed && <CloseButton size="sm" aria-label={t('clear')} onClick={() => change('')} />}
    />
  )
}
