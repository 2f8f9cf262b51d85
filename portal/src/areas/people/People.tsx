import './people.css'
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconDownload, IconSearch } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { PeopleTable } from './PeopleTable.tsx'
import type { Search } from './queries.ts'
import { figures, people } from './queries.ts'
import { sorts, states } from './search.ts'

/** Everybody who has an account. */
export function People() {
  const { t } = useTranslation('people')
  const search = useSearch({ from: '/people' })
  const look = useKeep<Search>({ resetScroll: true })
  const list = useInfiniteQuery(people(search))
  const { data: counted } = useQuery(figures)
  const rows = useMemo(() => list.data?.pages.flatMap(({ results }) => results), [list.data])
  return (
    <>
      <PageHead
        title={t('title')}
        lead={counted ? t('lead', { count: counted.totalUsers, locked: counted.inactiveUsers }) : '\u00a0'}
        actions={
          <Button
            component="a"
            href="/api/user/export"
            download="users.csv"
            variant="default"
            leftSection={<IconDownload size={18} stroke={1.75} aria-hidden />}
          >
            {t('export')}
          </Button>
        }
      />
      <div className="people-filters">
        <SearchField label={t('search')} value={search.q} onSearch={(q) => look({ q })} />
        <NativeSelect
          aria-label={t('order')}
          data={[
            { value: ' ', label: t('orders.uidNumber') },
            { value: ' desc', label: t('orders.uidNumberDown') },
            ...sorts.flatMap((sort) => [
              { value: `${sort} `, label: t(`orders.${sort}`) },
              { value: `${sort} desc`, label: t(`orders.${sort}Down`) },
            ]),
          ]}
          value={`${search.sort ?? ''} ${search.order === 'desc' ? 'desc' : ''}`}
          onChange={({ currentTarget: { value } }) => {
            const [sort, order] = value.split(' ')
            look({
              sort: sorts.find((each) => each === sort),
              order: order === 'desc' ? order : undefined,
            })
          }}
        />
        <NativeSelect
          aria-label={t('columns.state')}
          data={[
            { value: '', label: t('states.all') },
            ...states.map((value) => ({ value, label: t(`states.${value}`) })),
          ]}
          value={search.state ?? ''}
          onChange={({ currentTarget: { value } }) => look({ state: states.find((each) => each === value) })}
        />
      </div>
      {list.error && !rows && <Failed error={list.error} onRetry={list.refetch} />}
      {list.isPending && <Loading rows={8} height={60} />}
      {rows?.length === 0 && (
        <Empty icon={IconSearch} title={t('none.title')}>
          {t('none.text')}
        </Empty>
      )}
      {rows && <PeopleTable rows={rows} list={list} search={search} onSort={look} />}
    </>
  )
}
