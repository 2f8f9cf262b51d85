import './find-group.css'
import { Button, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ok } from '../api/client.ts'
import { Failed } from './Failed.tsx'
import { IconSearch } from './first-icons.tsx'
import { focused } from './focused.ts'

type Props = {
  label: string
  /** Left out of what is found. */
  except?: (cn: string) => boolean
  /** What stands in place of the choice, for one that cannot be chosen. */
  already: (cn: string) => ReactNode
  /** The words on the button, and its name for one group. */
  choose: string
  chooseOf: (cn: string) => string
  onChoose: (cn: string) => void
}

/** Groups of a name or purpose like this, by name: as many as are seen at once. */
const found = (q: string) =>
  queryOptions({
    queryKey: ['groups', 'found', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: 7, sort: 'cn' as const }
      return (await ok(api.GET('/api/group/', { params: { query }, signal }))).results
    },
  })

/** Finds a group by a part of its name or description, and chooses it: the first step of a dialog. */
export function FindGroup({ label, except = () => false, already, choose, chooseOf, onChoose }: Props) {
  const { t } = useTranslation()
  const [typed, type] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 200)
  const { data, error, refetch } = useQuery(found(q))
  const groups = data?.filter(({ cn }) => !except(cn))
  return (
    <>
      <TextInput
        ref={focused}
        type="search"
        label={label}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className="find-group" aria-live="polite">
        {error && <Failed error={error} onRetry={refetch} />}
        {groups?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('list.unfound')}
          </Text>
        )}
        <ul className="plain-list rows">
          {groups?.map(({ cn, description }) => (
            <li key={cn}>
              <div className="grows">
                <Text component="div" fw={600} c="bright" truncate>
                  <bdi>{cn}</bdi>
                </Text>
                <Text component="div" size="sm" c="dimmed" truncate>
                  {description}
                </Text>
              </div>
              {already(cn) || (
                <Button size="xs" variant="default" aria-label={chooseOf(cn)} onClick={() => onChoose(cn)}>
                  {choose}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}
