import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { IconUsersGroup } from '../../parts/icons.tsx'
import { LayeredGraph } from '../../parts/LayeredGraph.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { GroupLink } from './GroupLink.tsx'
import { nestingAround } from './queries.ts'

/** The groups around one: on the left what it is nested in, on the right what is nested in it. */
export function NestingGraph({ name }: { name: string }) {
  const { t } = useTranslation('groups')
  const { data, error, refetch } = useQuery(nestingAround(name))
  const ties = useMemo(
    () =>
      data?.edges
        .map(({ group, nested }) => ({ from: group, to: nested }))
        .sort((a, b) => byName(a.from, b.from) || byName(a.to, b.to)),
    [data],
  )
  return (
    <Panel
      title={t('graph.title')}
      lead={data && t('graph.lead', { above: data.above.length, below: data.below.length })}
    >
      {error && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={1} height={120} />}
      {ties?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('graph.alone')}
        </Text>
      )}
      {data && ties && ties.length > 0 && (
        <LayeredGraph
          label={t('graph.label', { name: data.cn })}
          middle={data.cn}
          ties={ties}
          node={(cn) =>
            cn === data.cn ? (
              <span aria-current="true" title={cn}>
                <Inside cn={cn} />
              </span>
            ) : (
              <GroupLink cn={cn} className="">
                <Inside cn={cn} />
              </GroupLink>
            )
          }
          said={({ from, to }) => t('graph.said', { group: from, child: to })}
        />
      )}
    </Panel>
  )
}

function Inside({ cn }: { cn: string }) {
  return (
    <>
      <IconUsersGroup size={16} stroke={2} aria-hidden />
      <bdi>{cn}</bdi>
    </>
  )
}
