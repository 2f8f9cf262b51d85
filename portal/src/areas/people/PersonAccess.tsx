import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconLock, IconSitemap } from '../../parts/icons.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Path } from './Path.tsx'
import { reachOf } from './queries.ts'

const kinds = ['site', 'host', 'service', 'oauth'] as const
const levels = ['access', 'admin', 'public'] as const

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
            <Listed
              label={t('tabs.access')}
              rows={reach}
              said={({ name, address, groups }) => [name, address, ...groups.flatMap(({ via }) => via)]}
              orders={[{ value: 'name', by: (a, b) => byName(a.name, b.name) }]}
              filters={[
                {
                  ...{ name: 'kind', label: t('access.kinds.name'), all: t('access.kinds.all') },
                  choices: kinds.map((value) => ({ value, label: t(`access.kind.${value}`) })),
                  of: ({ kind }) => kind,
                },
                {
                  ...{ name: 'level', label: t('access.levels.name'), all: t('access.levels.all') },
                  choices: levels.map((value) => ({ value, label: t(`access.level.${value}`) })),
                  of: ({ accessLevel }) => accessLevel,
                },
              ]}
            >
              {(shown) => (
                <ul className="plain-list person-list">
                  {shown.map(({ id, name, kind, address, accessLevel, groups }) => (
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
              )}
            </Listed>
          </Panel>
        )
      }
    </Asked>
  )
}
