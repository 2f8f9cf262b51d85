import './groups.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconUsersGroup } from '../../parts/icons.tsx'
import { LinkCard, LinkCards } from '../../parts/LinkCard.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName, parentOf } from '../../parts/names.ts'
import { PageHead } from '../../parts/PageHead.tsx'
import type { Owned } from './queries.ts'
import { counted, ownedGroups } from './queries.ts'

const orders: [Order<Owned>, ...Order<Owned>[]] = [
  { value: 'name', by: (a, b) => byName(a.cn, b.cn) },
  { value: 'size', by: (a, b) => b.member.length - a.member.length || byName(a.cn, b.cn) },
]

/** The groups of which I am an owner. */
export function Groups() {
  const { t } = useTranslation('groups')
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <Asked of={useQuery(ownedGroups(useMe()))} rows={4} height={74}>
        {(groups) =>
          groups.length === 0 ? (
            <Empty icon={IconUsersGroup} title={t('none.title')}>
              {t('none.text')}
            </Empty>
          ) : (
            <Listed
              label={t('list')}
              rows={groups}
              said={({ cn, description }) => [cn, description]}
              orders={orders}
            >
              {(shown) => (
                <LinkCards label={t('title')}>
                  {shown.map((group) => (
                    <Card key={group.cn} group={group} />
                  ))}
                </LinkCards>
              )}
            </Listed>
          )
        }
      </Asked>
    </>
  )
}

function Card({ group }: { group: Owned }) {
  const { t } = useTranslation('groups')
  const { cn, description, people, nested, owners } = counted(group, parentOf(useMe().dn))
  const counts = [
    t('member.title', { count: people }),
    ...(nested > 0 ? [t('nested.title', { count: nested })] : []),
    t('owner.title', { count: owners }),
  ]
  return (
    <LinkCard
      link={
        <Link to="/groups/$name" params={{ name: cn }} className="link-card-name">
          <bdi>{cn}</bdi>
        </Link>
      }
      under={description || t('noDescription')}
    >
      <Text size="sm" c="dimmed">
        {counts.join(' · ')}
      </Text>
    </LinkCard>
  )
}
