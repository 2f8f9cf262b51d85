import './groups.css'
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconLock, IconPlus, IconSearch } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import type { More } from '../../parts/LongTable.tsx'
import { columnsOf, LongTable, useLongTable } from '../../parts/LongTable.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { GroupLink } from './GroupLink.tsx'
import { NewGroup } from './NewGroup.tsx'
import type { Counted, Search } from './queries.ts'
import { allGroups } from './queries.ts'
import { allOrders } from './search.ts'

/** Every group there is, for administrators. */
export function AllGroups() {
  const { t } = useTranslation('groups')
  if (mayUse(useMe(), 'app_sso_admin')) return <Whole />
  return (
    <>
      <PageHead title={t('all.title')} />
      <Empty icon={IconLock} title={t('all.hidden')} />
    </>
  )
}

function Whole() {
  const { t } = useTranslation('groups')
  const search = useSearch({ from: '/admin/groups' })
  const look = useKeep<Search>({ resetScroll: true })
  const [makes, make] = useState(false)
  const list = useInfiniteQuery(allGroups(useMe(), search))
  const rows = useMemo(() => list.data?.pages.flatMap(({ results }) => results), [list.data])
  return (
    <>
      <PageHead
        title={t('all.title')}
        lead={t('all.lead')}
        actions={
          <Button onClick={() => make(true)} leftSection={<IconPlus size={18} stroke={2} aria-hidden />}>
            {t('new.open')}
          </Button>
        }
      />
      <div className="groups-filters groups-filters-all">
        <SearchField label={t('all.search')} value={search.q} onSearch={(q) => look({ q })} />
        <SearchField label={t('all.owner')} value={search.owner} onSearch={(owner) => look({ owner })} />
        <SearchField label={t('all.member')} value={search.member} onSearch={(member) => look({ member })} />
        <NativeSelect
          aria-label={t('order')}
          data={allOrders.map((value) => ({ value, label: t(`all.orders.${value}`) }))}
          value={search.sort ?? 'name'}
          onChange={({ currentTarget: { value } }) =>
            look({ sort: value === 'oldest' ? 'oldest' : undefined })
          }
        />
      </div>
      {list.error && !rows && <Failed error={list.error} onRetry={list.refetch} />}
      {list.isPending && <Loading rows={8} height={60} />}
      {rows?.length === 0 && (
        <Empty icon={IconSearch} title={t('unfound.title')}>
          {t('all.none')}
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Table rows={rows} list={list} sort={search.sort} onSort={() => look({ sort: undefined })} />
      )}
      <NewGroup opened={makes} onClose={() => make(false)} />
    </>
  )
}

type Props = { rows: Counted[]; list: More; sort: Search['sort']; onSort: () => void }

const column = columnsOf<Counted>()
const number = { className: 'long-text groups-number' }
const byName = [{ id: 'cn', desc: false }]
const unsorted: typeof byName = []

/** Sorted by name, or by what no column shows. */
function Table({ rows, list, sort, onSort }: Props) {
  const { t } = useTranslation('groups')
  const columns = useMemo(
    () =>
      column.columns([
        column.accessor('cn', {
          header: t('all.columns.cn'),
          cell: ({ row: { original } }) => (
            <>
              <GroupLink cn={original.cn} className="" />
              <span>
                <span className="groups-people-too">{t('member.title', { count: original.people })} · </span>
                {original.description || t('noDescription')}
              </span>
            </>
          ),
          meta: { className: 'long-name' },
        }),
        column.display({
          id: 'people',
          header: t('all.columns.people'),
          cell: ({ row }) => row.original.people,
          meta: number,
        }),
        column.display({
          id: 'nested',
          header: t('all.columns.nested'),
          cell: ({ row }) => row.original.nested,
          meta: number,
        }),
        column.display({
          id: 'owners',
          header: t('all.columns.owners'),
          cell: ({ row }) => row.original.owners || <span className="groups-nobody">{t('all.nobody')}</span>,
          meta: number,
        }),
      ]),
    [t],
  )
  const table = useLongTable({
    ...{ columns, data: rows, onSort, sorting: sort === undefined ? byName : unsorted },
    getRowId: ({ cn }) => cn,
  })
  return <LongTable {...{ table, list, label: t('all.title'), className: 'groups-table' }} />
}
