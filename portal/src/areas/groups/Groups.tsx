import './groups.css'
import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconChevronRight, IconSearch, IconUsersGroup } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { byName, fold, parentOf } from './names.ts'
import type { Owned } from './queries.ts'
import { ownedGroups } from './queries.ts'
import { orders } from './search.ts'

/** The groups of which I am an owner. */
export function Groups() {
  const { t } = useTranslation('groups')
  const search = useSearch({ from: '/groups' })
  const navigate = useNavigate()
  const { data: groups, error, refetch } = useQuery(ownedGroups(useMe()))
  const look = (search: Search) => navigate({ to: '/groups', search, replace: true })
  const shown = groups && found(groups, search)
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      {(groups === undefined || groups.length > 0) && (
        <div className="groups-filters">
          <SearchField label={t('search')} value={search.q} onSearch={(q) => look({ ...search, q })} />
          <NativeSelect
            aria-label={t('order')}
            data={orders.map((value) => ({ value, label: t(`orders.${value}`) }))}
            value={search.sort ?? 'name'}
            onChange={({ currentTarget: { value } }) =>
              look({ ...search, sort: value === 'size' ? 'size' : undefined })
            }
          />
        </div>
      )}
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !groups && <Loading rows={4} height={74} />}
      {groups?.length === 0 && (
        <Empty icon={IconUsersGroup} title={t('none.title')}>
          {t('none.text')}
        </Empty>
      )}
      {groups && groups.length > 0 && shown?.length === 0 && (
        <Empty icon={IconSearch} title={t('unfound.title')}>
          {t('unfound.text')}
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <ul className="plain-list groups-cards">
          {shown.map((group) => (
            <Card key={group.cn} group={group} />
          ))}
        </ul>
      )}
    </>
  )
}

function Card({ group: { cn, description, member, owner } }: { group: Owned }) {
  const { t } = useTranslation('groups')
  const people = parentOf(useMe().dn)
  const nested = member.filter((dn) => parentOf(dn) !== people).length
  const counts = [
    t('member.title', { count: member.length - nested }),
    ...(nested > 0 ? [t('nested.title', { count: nested })] : []),
    t('owner.title', { count: owner.length }),
  ]
  return (
    <li className="card groups-card">
      <div className="groups-card-text">
        <Link to="/groups/$name" params={{ name: cn }} className="groups-card-name">
          <bdi>{cn}</bdi>
        </Link>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description || t('noDescription')}
        </Text>
      </div>
      <Text size="sm" c="dimmed" className="groups-card-size">
        {counts.join(' · ')}
      </Text>
      <IconChevronRight size={18} stroke={1.75} aria-hidden className="groups-card-go" />
    </li>
  )
}

type Search = { q?: string | undefined; sort?: (typeof orders)[number] | undefined }

function found(groups: readonly Owned[], { q = '', sort }: Search): Owned[] {
  const words = fold(q).split(/\s+/).filter(Boolean)
  const size = (a: Owned, b: Owned) => b.member.length - a.member.length
  return groups
    .filter(({ cn, description }) => words.every((word) => fold(`${cn} ${description}`).includes(word)))
    .sort((a, b) => (sort === 'size' && size(a, b)) || byName(a.cn, b.cn))
}
