import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import type { Search } from './found.ts'
import { doors, kinds, orders, states } from './search.ts'

/** What the list shows and how, all of it in the address. */
export function Filters({ search }: { search: Search }) {
  const { t } = useTranslation('clients')
  const look = useKeep<Search>({ resetScroll: true })
  const any = (label: string) => ({ value: '', label })
  return (
    <search className="client-filters">
      <SearchField label={t('search')} value={search.q} onSearch={(q) => look({ q })} />
      <NativeSelect
        aria-label={t('order')}
        data={orders.map((value) => ({ value, label: t(`orders.${value}`) }))}
        value={search.sort ?? 'name'}
        onChange={({ currentTarget: { value } }) =>
          look({ sort: orders.slice(1).find((each) => each === value) })
        }
      />
      <NativeSelect
        aria-label={t('kind')}
        data={[any(t('kinds.any')), ...kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))]}
        value={search.kind ?? ''}
        onChange={({ currentTarget: { value } }) => look({ kind: kinds.find((each) => each === value) })}
      />
      <NativeSelect
        aria-label={t('door')}
        data={[any(t('doors.any')), ...doors.map((value) => ({ value, label: t(`doors.${value}`) }))]}
        value={search.door ?? ''}
        onChange={({ currentTarget: { value } }) => look({ door: doors.find((each) => each === value) })}
      />
      <NativeSelect
        aria-label={t('state')}
        data={[any(t('states.any')), ...states.map((value) => ({ value, label: t(`states.${value}`) }))]}
        value={search.state ?? ''}
        onChange={({ currentTarget: { value } }) => look({ state: states.find((each) => each === value) })}
      />
    </search>
  )
}
