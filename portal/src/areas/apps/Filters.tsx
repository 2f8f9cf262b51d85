import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { kinds, orders } from './search.ts'

export type Search = { q?: string; kind?: (typeof kinds)[number]; sort?: (typeof orders)[number] }
type Props = { search: Search; sorted?: boolean }

/** Search, filter and order, as the address keeps them. */
export function Filters({ search, sorted = false }: Props) {
  const { t } = useTranslation('apps')
  const look = useKeep<Search>({ resetScroll: true })
  return (
    <div className="filters">
      <SearchField label={t('search')} value={search.q} onSearch={(q) => look({ q })} />
      <NativeSelect
        aria-label={t('filter')}
        data={[
          { value: '', label: t('kind.all') },
          ...kinds.map((value) => ({ value, label: t(`kinds.${value}`) })),
        ]}
        value={search.kind ?? ''}
        onChange={({ currentTarget: { value } }) => look({ kind: kinds.find((each) => each === value) })}
      />
      {sorted && (
        <NativeSelect
          aria-label={t('order')}
          data={orders.map((value) => ({ value, label: t(`orders.${value}`) }))}
          value={search.sort ?? 'name'}
          onChange={({ currentTarget: { value } }) =>
            look({ sort: value === 'recent' ? 'recent' : undefined })
          }
        />
      )}
    </div>
  )
}
