import { Badge, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconUsersGroup } from '../../parts/icons.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Path } from './Path.tsx'
import { groupsOf } from './queries.ts'

/** Every group somebody is in, and how; and those they own. */
export function PersonGroups() {
  const { t } = useTranslation('people')
  const { uid } = useParams({ from: '/people/$uid' })
  return (
    <Asked of={useQuery(groupsOf(uid))}>
      {({ results, owned }) => (
        <>
          {results.length === 0 && (
            <Empty icon={IconUsersGroup} title={t('groups.none.title')}>
              {t('groups.none.text')}
            </Empty>
          )}
          {results.length > 0 && (
            <Panel title={t('groups.title', { count: results.length })} lead={t('groups.lead')}>
              <Listed
                label={t('tabs.groups')}
                rows={results}
                said={({ via }) => via}
                orders={[{ value: 'name', by: (a, b) => byName(a.cn, b.cn) }]}
                filters={[
                  {
                    ...{ name: 'how', label: t('groups.how'), all: t('groups.all') },
                    choices: [
                      { value: 'direct', label: t('groups.direct') },
                      { value: 'nested', label: t('groups.nested') },
                    ],
                    of: ({ via }) => (via.length > 1 ? 'nested' : 'direct'),
                  },
                ]}
              >
                {(shown) => (
                  <ul className="plain-list person-list">
                    {shown.map(({ cn, via }) => (
                      <li key={cn}>
                        <Text component="span" fw={600} c="bright">
                          <bdi>{cn}</bdi>
                        </Text>
                        {via.length > 1 ? (
                          <Path via={via} />
                        ) : (
                          <Badge component="span" variant="light" color="gray" tt="none">
                            {t('groups.direct')}
                          </Badge>
                        )}
                      </li>
                    ))}
                  </ul>
                )}
              </Listed>
            </Panel>
          )}
          {owned.length > 0 && (
            <Panel title={t('groups.owned', { count: owned.length })} lead={t('groups.ownedLead')}>
              <Listed
                label={t('groups.ownedList')}
                as="owned"
                rows={owned}
                said={(cn) => [cn]}
                orders={[{ value: 'name', by: byName }]}
              >
                {(shown) => (
                  <Stack gap={4} component="ul" className="plain-list person-list">
                    {shown.map((cn) => (
                      <li key={cn}>
                        <bdi>{cn}</bdi>
                      </li>
                    ))}
                  </Stack>
                )}
              </Listed>
            </Panel>
          )}
        </>
      )}
    </Asked>
  )
}
