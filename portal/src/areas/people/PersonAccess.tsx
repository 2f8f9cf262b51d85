import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { IconLock, IconSitemap } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Asked } from './Asked.tsx'
import { Path } from './Path.tsx'
import { reachOf } from './queries.ts'

/** What somebody can reach, and the groups by which they can. */
export function PersonAccess() {
  const { t } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  if (!mayUse(useMe(), 'app_sso_directory_admin'))
    return (
      <Empty icon={IconLock} title={t('access.hidden.title')}>
        {t('access.hidden.text')}
      </Empty>
    )
  return <Reach uid={uid} />
}

function Reach({ uid }: { uid: string }) {
  const { t } = useTranslation('people')
  return (
    <Asked of={useQuery(reachOf(uid))}>
      {(reach) =>
        reach.length === 0 ? (
          <Empty icon={IconSitemap} title={t('access.none.title')}>
            {t('access.none.text')}
          </Empty>
        ) : (
          <Panel title={t('access.title', { count: reach.length })} lead={t('access.lead')}>
            <ul className="plain-list person-list">
              {reach.map(({ id, name, kind, address, accessLevel, groups }) => (
                <li key={id} className="person-reach">
                  <div>
                    <Text component="span" fw={600} c="bright">
                      <bdi>{name}</bdi>
                    </Text>
                    <Text component="span" size="sm" c="dimmed">
                      {[t(`access.kind.${kind}`), address].filter(Boolean).join(' · ')}
                    </Text>
                  </div>
                  <Badge
                    component="span"
                    variant="light"
                    color={accessLevel === 'admin' ? 'yellow' : 'gray'}
                    tt="none"
                  >
                    {t(`access.level.${accessLevel}`)}
                  </Badge>
                  {groups.map(({ groupCn, via }) => (
                    <Path key={groupCn} via={via} />
                  ))}
                </li>
              ))}
            </ul>
          </Panel>
        )
      }
    </Asked>
  )
}
