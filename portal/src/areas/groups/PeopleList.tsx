import { Button, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconSearch } from '../../parts/icons.tsx'
import { byName, fold, nameOf } from './names.ts'
import { PersonLine } from './PersonLine.tsx'

type Props = { dns: readonly string[]; label: string; children?: (dn: string) => ReactNode }

const pageSize = 25

/** People by username, some at a time; a long list can be searched. */
export function PeopleList({ dns, label, children }: Props) {
  const { t } = useTranslation(['groups', 'app'])
  const [q, search] = useState('')
  const [limit, extend] = useState(pageSize)
  const found = dns
    .filter((dn) => fold(nameOf(dn)).includes(fold(q.trim())))
    .sort((a, b) => byName(nameOf(a), nameOf(b)))
  return (
    <>
      {dns.length > 10 && (
        <TextInput
          type="search"
          mb="xs"
          aria-label={t('searchIn', { list: label })}
          placeholder={t('searchByUsername')}
          value={q}
          onChange={(event) => search(event.currentTarget.value)}
          leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        />
      )}
      <ul className="plain-list groups-people" aria-label={label}>
        {found.slice(0, limit).map((dn) => (
          <li key={dn}>
            <PersonLine dn={dn}>{children && <div className="groups-end">{children(dn)}</div>}</PersonLine>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('unfound.title')}
        </Text>
      )}
      {found.length > limit && (
        <Button variant="default" size="xs" mt="sm" onClick={() => extend(limit + 2 * pageSize)}>
          {t('app:more')}
        </Button>
      )}
    </>
  )
}
