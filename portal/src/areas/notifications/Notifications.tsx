import { ButtonLink } from '../../parts/links.tsx'
import './notifications.css'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconBell, IconPencil, IconSearch } from '../../parts/icons.tsx'
import { LinkCard, LinkCards } from '../../parts/LinkCard.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Time } from '../../parts/Time.tsx'
import { TimeOrder } from '../../parts/TimeOrder.tsx'
import { useKeep } from '../../parts/useKept.ts'
import type { Notification, Search } from './queries.ts'
import { notifications } from './queries.ts'
import { State } from './State.tsx'
import { useWhom } from './useWhom.ts'

/** What was written to people. */
export function NotificationList() {
  const { t } = useTranslation(['notifications', 'app'])
  const search = useSearch({ from: '/admin/notifications' })
  const { q, order } = search
  const look = useKeep<Search>({ resetScroll: true })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    notifications(search),
  )
  const all = data?.pages.flatMap(({ results }) => results)
  const write = (
    <ButtonLink
      to="/admin/notifications/new"
      leftSection={<IconPencil size={18} stroke={1.75} aria-hidden />}
    >
      {t('new.open')}
    </ButtonLink>
  )
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} actions={write} />
      {(q !== undefined || all?.length !== 0) && (
        <div className="notes-search">
          <SearchField label={t('search')} value={q} onSearch={(q) => look({ q })} />
          <TimeOrder order={order} onOrder={(order) => look({ order })} />
        </div>
      )}
      {error && !all && <Failed error={error} onRetry={refetch} />}
      {!error && !all && <Loading rows={5} height={76} />}
      {all?.length === 0 &&
        (q === undefined ? (
          <Empty icon={IconBell} title={t('none.title')}>
            {t('none.text')}
          </Empty>
        ) : (
          <Empty icon={IconSearch} title={t('unfound')} />
        ))}
      <LinkCards label={t('title')}>
        {all?.map((one) => (
          <Card key={one.notification_id} one={one} />
        ))}
      </LinkCards>
      {hasNextPage && (
        <div className="notes-more">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {t('app:more')}
          </Button>
        </div>
      )}
    </>
  )
}

function Card({ one }: { one: Notification }) {
  const { t } = useTranslation('notifications')
  const whom = useWhom()
  return (
    <LinkCard
      link={
        <Link
          to="/admin/notifications/$id"
          params={{ id: one.notification_id }}
          preload={false}
          className="link-card-name"
        >
          <bdi>{one.subject}</bdi>
        </Link>
      }
      under={
        <>
          {whom(one)} · {t('by', { by: one.created_by })} · <Time at={one.created_on} />
        </>
      }
    >
      <State one={one} />
    </LinkCard>
  )
}
