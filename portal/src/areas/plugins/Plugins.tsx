import { ButtonLink } from '../../parts/links.tsx'
import './plugins.css'
import { Badge, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { CardScreen } from '../../parts/CardScreen.tsx'
import { IconPlug, IconPlus } from '../../parts/icons.tsx'
import { LinkCard } from '../../parts/LinkCard.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Time } from '../../parts/Time.tsx'
import type { Instance } from './queries.ts'
import { instances, types } from './queries.ts'
import { RunState } from './RunState.tsx'

const orders: [Order<Instance>, ...Order<Instance>[]] = [
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
  { value: 'run', by: (a, b) => (b.last_run_at ?? 0) - (a.last_run_at ?? 0) },
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
]
const ends = ['ok', 'error', 'running'] as const

/** What runs beside the service, and how its last run ended. */
export function Plugins() {
  const { t } = useTranslation('plugins')
  const { data: known = [] } = useQuery(types)
  const typeName = ({ pluginType }: Instance) =>
    known.find(({ type }) => type === pluginType)?.name ?? pluginType
  return (
    <CardScreen
      title={t('title')}
      lead={t('lead')}
      of={useQuery(instances)}
      add={
        <ButtonLink to="/admin/plugins/new" leftSection={<IconPlus size={18} aria-hidden />}>
          {t('new.open')}
        </ButtonLink>
      }
      none={{ icon: IconPlug, title: t('none.title'), text: t('none.text') }}
      said={(one) => [one.name, typeName(one), one.slug, one.last_error]}
      orders={orders}
      filters={[
        {
          ...{ name: 'schedule', label: t('form.cron'), all: t('schedule.any') },
          choices: (['on', 'off', 'none'] as const).map((value) => ({
            value,
            label: t(`schedule.${value}`),
          })),
          of: ({ cron, enabled }) => (cron === null ? 'none' : enabled ? 'on' : 'off'),
        },
        {
          ...{ name: 'status', label: t('runs.last'), all: t('runs.any') },
          choices: ends.map((value) => ({ value, label: t(`runs.${value}`) })),
          of: ({ last_status }) => last_status ?? '',
        },
      ]}
    >
      {(one) => <Card key={one.id} one={one} typeName={typeName(one)} />}
    </CardScreen>
  )
}

function Card({ one, typeName }: { one: Instance; typeName: string }) {
  const { t } = useTranslation('plugins')
  const { id, name, cron, enabled, last_run_at, last_status } = one
  return (
    <LinkCard
      link={
        <Link to="/admin/plugins/$id" params={{ id }} preload={false} className="link-card-name">
          <bdi>{name}</bdi>
        </Link>
      }
      under={typeName}
    >
      <div className="plugins-when">
        {cron === null ? (
          <span className="plugins-dim">{t('schedule.none')}</span>
        ) : (
          <>
            <Code>{cron}</Code>{' '}
            {!enabled && (
              <Badge component="span" color="gray" variant="light" tt="none">
                {t('schedule.off')}
              </Badge>
            )}
          </>
        )}
      </div>
      <div className="plugins-last">
        {last_run_at === null || last_status === null ? (
          <span className="plugins-dim">{t('runs.never')}</span>
        ) : (
          <>
            <RunState status={last_status} /> <Time at={last_run_at} />
          </>
        )}
      </div>
    </LinkCard>
  )
}
