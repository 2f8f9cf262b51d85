import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Listed } from '../../parts/Listed.tsx'
import { byName, nameOf } from '../../parts/names.ts'
import { PersonLine } from './PersonLine.tsx'

type Props = {
  /** Comes before its search in the address. */
  as: string
  dns: readonly string[]
  label: string
  children?: (dn: string) => ReactNode
}

const pageSize = 25

/** People by username, some at a time; a long list can be searched. */
export function PeopleList({ as, dns, label, children }: Props) {
  const { t } = useTranslation('app')
  const [limit, extend] = useState(pageSize)
  return (
    <Listed
      {...{ as, label, few: 10, rows: dns }}
      said={(dn) => [nameOf(dn)]}
      orders={[{ value: 'name', by: (a, b) => byName(nameOf(a), nameOf(b)) }]}
    >
      {(found) => (
        <>
          <ul className="plain-list groups-people" aria-label={label}>
            {found.slice(0, limit).map((dn) => (
              <li key={dn}>
                <PersonLine dn={dn}>
                  {children && <div className="groups-end">{children(dn)}</div>}
                </PersonLine>
              </li>
            ))}
          </ul>
          {found.length > limit && (
            <Button variant="default" size="xs" mt="sm" onClick={() => extend(limit + 2 * pageSize)}>
              {t('more')}
            </Button>
          )}
        </>
      )}
    </Listed>
  )
}
