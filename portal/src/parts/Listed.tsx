import './listed.css'
import { Button, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type texts from '../i18n/en/app.json'
import { Empty } from './Empty.tsx'
import { IconSearch } from './first-icons.tsx'
import { finder } from './found.ts'
import { SearchField } from './SearchField.tsx'
import { useKept } from './useKept.ts'

/** `value` stands in the address; its words are in the catalogue `app`. */
export type Order<R> = { value: keyof typeof texts.list.orders; by: (a: R, b: R) => number }
/** `name` stands in the address; where it has none of the choices, all are shown. */
export type Filter<R> = {
  name: string
  label: string
  all: string
  choices: readonly { value: string; label: string }[]
  of: (row: R) => string
}

type Props<R> = {
  /** What the list is called. */
  label: string
  /** Comes before its names in the address, where a screen has several lists. */
  as?: string
  rows: readonly R[]
  /** What can be searched for in a row. */
  said: (row: R) => readonly (string | null | undefined)[]
  /** The first is in force where the address names none. */
  orders: readonly [Order<R>, ...Order<R>[]]
  filters?: readonly Filter<R>[]
  /** So many rows need neither search nor order. */
  few?: number
  children: (shown: R[]) => ReactNode
}

/**
 * A list that is loaded whole, with search, order and filters, which the address keeps. Where there is no row at all, the
 * screen says so itself.
 */
export function Listed<R>({ label, as, rows, said, orders, filters = [], few = 1, children }: Props<R>) {
  const { t } = useTranslation()
  const [kept, keep] = useKept()
  const key = (name: string) => (as === undefined ? name : `${as}-${name}`)
  const chosen = filters.map((filter) => ({
    ...filter,
    choice: filter.choices.find(({ value }) => value === kept[key(filter.name)])?.value,
  }))
  const q = kept[key('q')]
  const order = orders.find(({ value }) => value === kept[key('sort')]) ?? orders[0]
  const has = finder(q)
  const shown = rows
    .filter((row) => has(...said(row)) && chosen.every(({ choice, of }) => !choice || choice === of(row)))
    .sort(order.by)
  const isNarrowed = q !== undefined || chosen.some(({ choice }) => choice)
  const clear = () =>
    keep(Object.fromEntries(['q', ...filters.map(({ name }) => name)].map((name) => [key(name), undefined])))
  return (
    <>
      {(rows.length > few || isNarrowed) && (
        <div className="listed">
          <SearchField
            label={t('list.searchIn', { list: label })}
            value={q}
            onSearch={(q) => keep({ [key('q')]: q })}
          />
          {chosen.map(({ name, label, all, choices, choice = '' }) => (
            <NativeSelect
              key={name}
              aria-label={label}
              data={[{ value: '', label: all }, ...choices]}
              value={choice}
              onChange={({ currentTarget: { value } }) => keep({ [key(name)]: value || undefined })}
            />
          ))}
          {orders.length > 1 && (
            <NativeSelect
              aria-label={t('list.order')}
              data={orders.map(({ value }) => ({ value, label: t(`list.orders.${value}`) }))}
              value={order.value}
              onChange={({ currentTarget: { value } }) =>
                keep({ [key('sort')]: value === orders[0].value ? undefined : value })
              }
            />
          )}
        </div>
      )}
      {rows.length > 0 && shown.length === 0 ? <Unfound onClear={clear} /> : children(shown)}
    </>
  )
}

/** Stands where there is something, but nothing of what was searched for. */
function Unfound({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <Empty
      icon={IconSearch}
      title={t('list.unfound')}
      action={
        <Button variant="default" size="xs" mt="xs" onClick={onClear}>
          {t('list.clear')}
        </Button>
      }
    >
      {t('list.unfoundText')}
    </Empty>
  )
}
