import './invites.css'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconLink, IconMail, IconSearch, IconSend } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { TimeOrder } from '../../parts/TimeOrder.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { InvitePeople } from './InvitePeople.tsx'
import { List } from './List.tsx'
import { MakeLink } from './MakeLink.tsx'
import type { Search } from './queries.ts'
import { invites } from './queries.ts'
import { states } from './search.ts'

const size = { size: 18, stroke: 1.75, 'aria-hidden': true } as const

/** Who is invited, and what came of it. */
export function Invites() {
  const { t } = useTranslation(['invites', 'app'])
  const search = useSearch({ from: '/admin/invites' })
  const look = useKeep<Search>({ resetScroll: true })
  const [making, make] = useState<'invites' | 'link'>()
  const list = useInfiniteQuery(invites(search))
  const rows = list.data?.pages.flatMap(({ results }) => results)
  const isSearched = search.q !== undefined || search.state !== undefined
  const close = () => make(undefined)
  return (
    <>
      <PageHead
        title={t('title')}
        lead={t(mayUse(useMe(), 'app_sso_admin') ? 'lead' : 'leadOwn')}
        actions={
          <>
            <Button variant="default" leftSection={<IconLink {...size} />} onClick={() => make('link')}>
              {t('makeLink')}
            </Button>
            <Button leftSection={<IconSend {...size} />} onClick={() => make('invites')}>
              {t('invite')}
            </Button>
          </>
        }
      />
      <div className="invites-filters">
        <SearchField label={t('search')} value={search.q} onSearch={(q) => look({ q })} />
        <NativeSelect
          aria-label={t('state.name')}
          data={[
            { value: '', label: t('states.all') },
            ...states.map((value) => ({ value, label: t(`states.${value}`) })),
          ]}
          value={search.state ?? ''}
          onChange={({ currentTarget: { value } }) => look({ state: states.find((each) => each === value) })}
        />
        <TimeOrder order={search.order} onOrder={(order) => look({ order })} />
      </div>
      {list.error && !rows && <Failed error={list.error} onRetry={list.refetch} />}
      {list.isPending && <Loading rows={6} height={72} />}
      {rows?.length === 0 &&
        (isSearched ? (
          <Empty icon={IconSearch} title={t('unfound.title')}>
            {t('unfound.text')}
          </Empty>
        ) : (
          <Empty icon={IconMail} title={t('none.title')}>
            {t('none.text')}
          </Empty>
        ))}
      {rows && rows.length > 0 && <List rows={rows} />}
      {list.isFetchNextPageError && <Failed error={list.error} onRetry={list.fetchNextPage} />}
      {list.hasNextPage && !list.isFetchNextPageError && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('app:more')}
          </Button>
        </Group>
      )}
      <InvitePeople opened={making === 'invites'} onClose={close} />
      <MakeLink opened={making === 'link'} onClose={close} />
    </>
  )
}
