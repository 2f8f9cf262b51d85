import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Bars } from '../../parts/Bars.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Go } from './Go.tsx'
import type { Way } from './places.ts'
import type { signUps } from './queries.ts'
import { spread } from './times.ts'

type Props = {
  of: typeof signUps
  says: 'signUps' | 'refusals'
  by: 'day' | 'hour'
  /** Where they are read one by one. */
  to: Way
  tone?: 'alert'
}

/** What happened over time: one number, and the picture of it; only the number where nothing did. */
export function OverTime({ of, says, by, to, tone }: Props) {
  const { t, i18n } = useTranslation(['home', 'app'])
  const { data, error, refetch } = useQuery(of)
  if (!data)
    return error ? (
      <Failed error={error} onRetry={refetch} />
    ) : (
      <Skeleton height={210} role="status" aria-label={t('app:loading')} />
    )
  const { events, complete, starts } = data
  const stretches = spread(
    starts,
    events.map(({ at }) => at),
  )
  const named = new Intl.DateTimeFormat(
    i18n.language,
    by === 'day' ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  )
  const all = t(`${says}.all`, { count: events.length })
  return (
    <>
      <div className="home-all">
        <span>{all}</span>
        <Go to={to} className="home-act">
          {t('inAudit')}
        </Go>
      </div>
      {!complete && (
        <Text size="sm" c="dimmed" mb="xs">
          {t('incomplete')}
        </Text>
      )}
      {events.length > 0 && (
        <Bars
          label={all}
          columns={[t(`by.${by}`), t(`${says}.column`)]}
          bars={stretches.map(({ at, count }) => ({ key: at, name: named.format(at), value: count }))}
          from={named.format(starts[0])}
          to={t(`now.${by}`)}
          {...(tone ? { tone } : {})}
        />
      )}
    </>
  )
}
