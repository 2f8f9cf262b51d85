import { Alert, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Chain } from '../../parts/Chain.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { Names } from '../../parts/Names.tsx'
import type { Change, Previewed } from './changes.ts'
import { opened, preview } from './changes.ts'

type Props = { group: string; change: Change; name?: string }
type One = Previewed['groups'][number]

/** What a change would do, by name and number: whose membership of which groups it gives or takes, and what these open. */
export function Effect({ group, change, name = '' }: Props) {
  const { t } = useTranslation('groups')
  const { data, error, refetch } = useEffectOf({ group, change, name })
  if (error) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Skeleton height={64} role="status" aria-label={t('counting')} />
  if (data.loop)
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('nest.loop')}>
        {t('nest.loopPath', { group, child: name })}
        <Chain className="chain-loop" of={data.loop} label={t('nest.loopName')} />
      </Alert>
    )
  const [own = { cn: group, gain: [], loss: [] }, ...others] = data.groups
  const what = change === 'addMember' || change === 'nest' ? 'gain' : 'loss'
  const people = own[what]
  const concerned = [own, ...others].filter((each) => each[what].length > 0).map(({ cn }) => cn)
  return (
    <div>
      <Text component="div" size="sm" mb={6}>
        {people.length > 0 && t(`effect.${what}`, { count: people.length, group: own.cn })}
        {people.length === 0 && t(`effect.none.${change}`, { name, group: own.cn })}
      </Text>
      <Names dns={people} />
      <Others what={what} others={others} />
      <Opened what={what} groups={concerned} />
      {concerned.some((cn) => /^app_sso_/i.test(cn)) && (
        <Alert color="yellow" mt="sm" icon={<IconAlertTriangle aria-hidden />}>
          {t(`effect.rights.${what}`)}
        </Alert>
      )}
    </div>
  )
}

/** The same answer for whoever asks, so that a button can wait for it. */
export function useEffectOf({ group, change, name }: Props) {
  return useQuery({ ...preview(group, change, name), enabled: name !== '' || change === 'delete' })
}

function Others({ what, others }: { what: 'gain' | 'loss'; others: One[] }) {
  const { t } = useTranslation('groups')
  if (others.length === 0) return null
  return (
    <>
      <Text size="sm" mt="sm" mb={4}>
        {t(`effect.others.${what}`, { count: others.length })}
      </Text>
      <ul
        className="plain-list groups-others"
        aria-label={t(`effect.others.${what}`, { count: others.length })}
      >
        {others.map((each) => (
          <li key={each.cn}>
            <details>
              <summary>
                <bdi>{each.cn}</bdi>: {t('effect.people', { count: each[what].length })}
              </summary>
              <Names dns={each[what]} />
            </details>
          </li>
        ))}
      </ul>
    </>
  )
}

function Opened({ what, groups }: { what: 'gain' | 'loss'; groups: string[] }) {
  const { t } = useTranslation('groups')
  const { data, isLoading } = useQuery(opened(useMe(), groups))
  if (isLoading) return <Skeleton height={20} mt="sm" role="status" aria-label={t('counting')} />
  if (!data || data.names.length === 0) return null
  const count = data.names.length + data.more
  return (
    <Text size="sm" mt="sm">
      {t(`effect.opened.${what}`, { count })} <bdi>{data.names.join(', ')}</bdi>
      {data.more > 0 && ` ${t('effect.andMore', { count: data.more })}`}
    </Text>
  )
}
