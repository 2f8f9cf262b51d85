import { Badge, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { IconUsersGroup } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Asked } from './Asked.tsx'
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
              <ul className="plain-list person-list">
                {results.map(({ cn, via }) => (
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
            </Panel>
          )}
          {owned.length > 0 && (
            <Panel title={t('groups.owned', { count: owned.length })} lead={t('groups.ownedLead')}>
              <Stack gap={4} component="ul" className="plain-list person-list">
                {owned.map((cn) => (
                  <li key={cn}>
                    <bdi>{cn}</bdi>
                  </li>
                ))}
              </Stack>
            </Panel>
          )}
        </>
      )}
    </Asked>
  )
}
