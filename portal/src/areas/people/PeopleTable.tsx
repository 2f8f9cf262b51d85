import { Avatar, Skeleton, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import type { CSSProperties } from 'react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { IconArrowDown, IconSelector } from '../../parts/icons.tsx'
import type { Listed, Search } from './queries.ts'
import { State } from './State.tsx'
import { millisecondsOf, nameOf } from './said.ts'

type More = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  error: unknown
  fetchNextPage: () => unknown
}
type Props = { rows: Listed[]; list: More; sort: Search['sort']; onSort: (sort: Search['sort']) => void }

const rowHeight = 61
const columns = ['sn', 'mail', 'createTimestamp'] as const

/** Rows as far as one sees; the next page is asked for before one gets to the end of this. */
export function PeopleTable({ rows, list, sort, onSort }: Props) {
  const { t } = useTranslation(['people', 'app'])
  const body = useRef<HTMLTableSectionElement>(null)
  const [scrollMargin, setMargin] = useState(0)
  useLayoutEffect(() => {
    setMargin((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const virtual = useWindowVirtualizer({
    ...{ count: rows.length, scrollMargin, overscan: 10 },
    estimateSize: () => rowHeight,
    getItemKey: (at) => rows[at]?.uid ?? at,
  })
  const shown = virtual.getVirtualItems()
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 30
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return (
    <>
      <table
        className="card people-table"
        aria-label={t('title')}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
      >
        <thead className="people-head">
          <tr aria-rowindex={1} className="people-row">
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                aria-sort={sort === column ? 'ascending' : 'none'}
                className={`people-${column}`}
              >
                <UnstyledButton
                  className="people-sort"
                  onClick={() => onSort(sort === column ? undefined : column)}
                >
                  {t(`columns.${column}`)}
                  {sort === column ? (
                    <IconArrowDown size={14} stroke={2} aria-hidden />
                  ) : (
                    <IconSelector size={14} stroke={2} aria-hidden />
                  )}
                </UnstyledButton>
              </th>
            ))}
            <th scope="col" className="people-state">
              {t('columns.state')}
            </th>
          </tr>
        </thead>
        <tbody ref={body} className="people-body" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ key, index, start }) => {
            const row = rows[index]
            return (
              row && (
                <Row
                  key={key}
                  row={row}
                  index={index}
                  style={{ transform: `translateY(${start - scrollMargin}px)` }}
                />
              )
            )
          })}
        </tbody>
      </table>
      {isFetchingNextPage && (
        <Skeleton height={rowHeight} mt="sm" radius="lg" role="status" aria-label={t('app:loading')} />
      )}
      {isFetchNextPageError && <Failed error={list.error} onRetry={fetchNextPage} />}
    </>
  )
}

function Row({ row, index, style }: { row: Listed; index: number; style: CSSProperties }) {
  const { i18n } = useTranslation('people')
  const made = millisecondsOf(row.createTimestamp)
  return (
    <tr aria-rowindex={index + 2} className="people-row people-one" style={style}>
      <td className="people-sn">
        <Avatar name={nameOf(row)} color="brand" radius="xl" size={36} aria-hidden />
        <div className="people-name">
          <Link to="/people/$uid" params={{ uid: row.uid }} preload={false}>
            <bdi>{nameOf(row)}</bdi>
          </Link>
          <span>
            <bdi>{row.uid}</bdi>
            <span className="people-mail-too"> · {row.mail}</span>
          </span>
        </div>
      </td>
      <td className="people-mail">{row.mail}</td>
      <td className="people-createTimestamp">
        {made !== undefined && new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' }).format(made)}
      </td>
      <td className="people-state">
        <State who={row} />
      </td>
    </tr>
  )
}
