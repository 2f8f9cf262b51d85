import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Chain } from '../../parts/Chain.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { PeopleList } from './PeopleList.tsx'
import type { Effective } from './queries.ts'

/** Everybody who is in the group, and through which others. */
export function Everyone({ all: { effective, via = {} } }: { all: Effective }) {
  const { t } = useTranslation('groups')
  const label = t('everyone.list')
  return (
    <Panel title={t('everyone.title', { count: effective.length })} lead={t('everyone.lead')}>
      <PeopleList as="everyone" dns={effective} label={label}>
        {(dn) => {
          const [, ...chain] = via[dn] ?? []
          if (chain.length > 0) return <Chain of={chain} label={t('everyone.via')} />
          return (
            <Text component="span" size="sm" c="dimmed">
              {t('everyone.direct')}
            </Text>
          )
        }}
      </PeopleList>
    </Panel>
  )
}
