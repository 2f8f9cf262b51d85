import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Asked } from './Asked.tsx'
import { Empty } from './Empty.tsx'
import type { Icon } from './first-icons.tsx'
import { LinkCards } from './LinkCard.tsx'
import type { Filter, Order } from './Listed.tsx'
import { Listed } from './Listed.tsx'
import { PageHead } from './PageHead.tsx'

type Props<R> = {
  title: string
  lead: string
  of: UseQueryResult<R[]>
  /** The way to a new one: on top, and where there is none yet in its place. */
  add: ReactNode
  none: { icon: Icon; title: string; text: string }
  said: (row: R) => readonly (string | null | undefined)[]
  orders: readonly [Order<R>, ...Order<R>[]]
  filters: readonly Filter<R>[]
  children: (row: R) => ReactNode
}

/** A screen that is a list of cards, each of which leads to one. */
export function CardScreen<R>({ title, lead, of, add, none, said, orders, filters, children }: Props<R>) {
  return (
    <>
      <PageHead title={title} lead={lead} actions={of.data?.length ? add : undefined} />
      <Asked of={of} rows={4} height={76}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={none.icon} title={none.title} action={add}>
              {none.text}
            </Empty>
          ) : (
            <Listed {...{ label: title, rows, said, orders, filters }}>
              {(shown) => <LinkCards label={title}>{shown.map(children)}</LinkCards>}
            </Listed>
          )
        }
      </Asked>
    </>
  )
}
