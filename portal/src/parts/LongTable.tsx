import './long-table.css'
import { Button, Skeleton, UnstyledButton } from '@mantine/core'
import type {
  Header,
  ReactTable,
  Row,
  RowData,
  RowSelectionState,
  SortingState,
  TableOptions,
} from '@tanstack/react-table'
import {
  createColumnHelper,
  FlexRender,
  functionalUpdate,
  metaHelper,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode } from 'react'
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from './Failed.tsx'
import { IconArrowDown, IconArrowUp, IconSelector } from './icons.tsx'

const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  /** Of its cells. */
  columnMeta: metaHelper<{ className: string }>(),
})
type Features = typeof features
/** Rows of which some can be chosen: the table keeps which, by `getRowId`. */
export type Rows<R extends RowData> = ReactTable<Features, R, unknown>

/** What an infinite query tells of the rows that are not here yet. */
export type More = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  error: unknown
  fetchNextPage: () => unknown
}

/** Helps to declare columns, which are memoised. A header that is no string is no heading; an accessor can be sorted by. */
export const columnsOf = <R extends RowData>() => createColumnHelper<Features, R>()

type Declared<R extends RowData> = Pick<TableOptions<Features, R>, 'columns' | 'data'> & {
  getRowId: (row: R) => string
  /** What the address says: the API sorts. The same array for the same order. */
  sorting: SortingState
  onSort: (sorting: SortingState) => void
  /** What was asked for: whoever is chosen is so until it is something else. */
  of?: unknown
}

/** What a `LongTable` shows. A press on a heading asks for up, for down, and for as it was. */
export function useLongTable<R extends RowData>({ sorting, onSort, of, ...declared }: Declared<R>): Rows<R> {
  const [chosen, setChosen] = useState({ of, rows: nobody })
  const rowSelection = chosen.of === of ? chosen.rows : nobody
  return useTable<Features, R, unknown>({
    ...declared,
    ...{ features, manualSorting: true, sortDescFirst: false, state: { sorting, rowSelection } },
    onSortingChange: (change) => onSort(functionalUpdate(change, sorting)),
    onRowSelectionChange: (change) => setChosen({ of, rows: functionalUpdate(change, rowSelection) }),
  })
}
const nobody: RowSelectionState = {}

type Props<R extends RowData> = {
  table: Rows<R>
  label: string
  /** Says how wide columns are. */
  className: string
  list: More
  /** Asks for more than load by themselves. */
  more?: string
}

const rowHeight = 61
const estimateSize = () => rowHeight
/** So many more load by themselves while one scrolls; then one is asked, so that no hand on a wheel fills the memory. */
const byThemselves = 5000

/** Rows as far as one sees; the next page is asked for before one gets to the end of this. */
export function LongTable<R extends RowData>({ table, label, className, list, more }: Props<R>) {
  const { t } = useTranslation()
  const { rows } = table.getRowModel()
  const [most, setMost] = useState(byThemselves)
  return (
    <>
      <table
        className={`card long-table ${className}`}
        aria-label={label}
        aria-rowcount={list.hasNextPage ? -1 : rows.length + 1}
      >
        <thead className="long-head">
          {table.getHeaderGroups().map(({ id, headers }) => (
            <tr key={id} aria-rowindex={1} className="long-row">
              {headers.map((header) => (
                <Heading key={header.id} header={header} />
              ))}
            </tr>
          ))}
        </thead>
        <Body rows={rows} columns={table.options.columns} list={list} most={most} />
      </table>
      {list.isFetchingNextPage && (
        <Skeleton height={rowHeight} mt="sm" radius="lg" role="status" aria-label={t('loading')} />
      )}
      {list.hasNextPage && rows.length >= most && (
        <Button variant="default" mt="md" onClick={() => setMost(rows.length + byThemselves)}>
          {more ?? t('more')}
        </Button>
      )}
      {list.isFetchNextPageError && <Failed error={list.error} onRetry={list.fetchNextPage} />}
    </>
  )
}

const orders = {
  none: { order: 'none', Arrow: IconSelector },
  asc: { order: 'ascending', Arrow: IconArrowDown },
  desc: { order: 'descending', Arrow: IconArrowUp },
} as const

function Heading<R extends RowData>({ header }: { header: Header<Features, R> }) {
  const { column } = header
  const said = <FlexRender header={header} />
  if (typeof column.columnDef.header !== 'string') return <td>{said}</td>
  if (!column.getCanSort()) return <th scope="col">{said}</th>
  const { order, Arrow } = orders[column.getIsSorted() || 'none']
  return (
    <th scope="col" aria-sort={order}>
      <UnstyledButton className="long-sort" onClick={() => column.toggleSorting()}>
        {said}
        <Arrow size={14} stroke={2} aria-hidden />
      </UnstyledButton>
    </th>
  )
}

type BodyProps<R extends RowData> = { rows: Row<Features, R>[]; columns: unknown; list: More; most: number }

/** All that is made anew as one scrolls. */
function Body<R extends RowData>({ rows, columns, list, most }: BodyProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [scrollMargin, setMargin] = useState(0)
  useLayoutEffect(() => {
    setMargin((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  // The same function for the same rows: another one has all of them measured again.
  const getItemKey = useCallback((at: number) => rows[at]?.id ?? at, [rows])
  const virtual = useWindowVirtualizer({
    ...{ count: rows.length, scrollMargin, overscan: 10 },
    ...{ estimateSize, getItemKey },
  })
  const shown = virtual.getVirtualItems()
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 30 && rows.length < most
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return (
    <tbody ref={body} className="long-body" style={{ height: virtual.getTotalSize() }}>
      {shown.map(({ key, index, start }) => {
        const row = rows[index]
        return (
          row && (
            <tr
              key={key}
              aria-rowindex={index + 2}
              className="long-row long-one"
              style={{ transform: `translateY(${start - scrollMargin}px)` }}
            >
              <Cells row={row} columns={columns} isChosen={row.getIsSelected()} />
            </tr>
          )
        )
      })}
    </tbody>
  )
}

type CellsProps<R extends RowData> = { row: Row<Features, R>; columns: unknown; isChosen: boolean }

/** Made once for what a row is about, which outlives the row: who scrolls moves them, and makes only what comes into sight. */
const Cells = memo(
  ({ row }) =>
    row.getAllCells().map((cell) => (
      <td key={cell.id} className={cell.column.columnDef.meta?.className}>
        <FlexRender cell={cell} />
      </td>
    )),
  (a, b) => a.row.original === b.row.original && a.columns === b.columns && a.isChosen === b.isChosen,
) as <R extends RowData>(props: CellsProps<R>) => ReactNode
