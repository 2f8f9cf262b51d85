import { Avatar, Checkbox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { More } from '../../parts/LongTable.tsx'
import { columnsOf, LongTable, useLongTable } from '../../parts/LongTable.tsx'
import { Chosen } from './Chosen.tsx'
import type { Listed, Search } from './queries.ts'
import { State } from './State.tsx'
import { millisecondsOf, nameOf } from './said.ts'
import { sorts } from './search.ts'

type Props = { rows: Listed[]; list: More; search: Search; onSort: (change: Search) => void }

const column = columnsOf<Listed>()

/** A row for each person; some of them, or all that are shown, can be chosen, until something else is searched for. */
export function PeopleTable({ rows, list, search, onSort }: Props) {
  const { t } = useTranslation('people')
  const { sort, order } = search
  const table = useLongTable({
    columns: useColumns(),
    data: rows,
    getRowId: ({ uid }) => uid,
    of: search,
    sorting: useMemo(() => (sort ? [{ id: sort, desc: order === 'desc' }] : []), [sort, order]),
    onSort: ([by]) =>
      onSort({
        sort: sorts.find((each) => each === by?.id),
        order: by?.desc ? 'desc' : undefined,
      }),
  })
  return (
    <>
      {rows.length > 0 && (
        <LongTable
          {...{ table, list, label: t('title'), className: 'people-table' }}
          more={t('many', { count: rows.length })}
        />
      )}
      <Chosen table={table} />
    </>
  )
}

function useColumns() {
  const { t, i18n } = useTranslation('people')
  return useMemo(
    () =>
      column.columns([
        column.display({
          id: 'choose',
          header: ({ table }) => (
            <Checkbox
              size="xs"
              aria-label={t('chosen.all', { count: table.getRowModel().rows.length })}
              checked={table.getIsAllRowsSelected()}
              indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
              onChange={() => table.toggleAllRowsSelected()}
            />
          ),
          cell: ({ row }) => (
            <Checkbox
              size="xs"
              aria-label={t('chosen.one', { name: nameOf(row.original) })}
              checked={row.getIsSelected()}
              onChange={() => row.toggleSelected()}
            />
          ),
          meta: { className: 'people-choose' },
        }),
        column.accessor('sn', {
          header: t('columns.sn'),
          cell: ({ row }) => <Named who={row.original} />,
          meta: { className: 'people-sn' },
        }),
        column.accessor('mail', { header: t('columns.mail'), meta: { className: 'long-text people-mail' } }),
        column.accessor('createTimestamp', {
          header: t('columns.createTimestamp'),
          cell: ({ row }) => {
            const made = millisecondsOf(row.original.createTimestamp)
            return (
              made !== undefined &&
              new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' }).format(made)
            )
          },
          meta: { className: 'long-text people-createTimestamp' },
        }),
        column.display({
          id: 'state',
          header: t('columns.state'),
          cell: ({ row }) => <State who={row.original} />,
          meta: { className: 'people-state' },
        }),
      ]),
    [t, i18n],
  )
}

function Named({ who }: { who: Listed }) {
  return (
    <>
      <Avatar name={nameOf(who)} color="brand" radius="xl" size={36} aria-hidden />
      <div className="long-name">
        <Link to="/people/$uid" params={{ uid: who.uid }} preload={false}>
          <bdi>{nameOf(who)}</bdi>
        </Link>
        <span>
          <bdi>{who.uid}</bdi>
          <span className="people-mail-too"> · {who.mail}</span>
        </span>
      </div>
    </>
  )
}
