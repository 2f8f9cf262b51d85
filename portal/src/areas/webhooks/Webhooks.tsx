import { ButtonLink } from '../../parts/links.tsx'
import './webhooks.css'
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { CardScreen } from '../../parts/CardScreen.tsx'
import { IconPlus, IconWebhook } from '../../parts/icons.tsx'
import { LinkCard } from '../../parts/LinkCard.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { countOf } from './patterns.ts'
import type { Webhook } from './queries.ts'
import { webhooks } from './queries.ts'

const orders: [Order<Webhook>, ...Order<Webhook>[]] = [
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
]

/** Every address that is told of what happens. */
export function Webhooks() {
  const { t } = useTranslation('webhooks')
  return (
    <CardScreen
      title={t('title')}
      lead={t('lead')}
      of={useQuery(webhooks)}
      add={
        <ButtonLink to="/admin/webhooks/new" leftSection={<IconPlus size={18} aria-hidden />}>
          {t('new.open')}
        </ButtonLink>
      }
      none={{ icon: IconWebhook, title: t('none.title'), text: t('none.text') }}
      said={({ name, url, events }) => [name, url, ...events]}
      orders={orders}
      filters={[
        {
          ...{ name: 'state', label: t('state.name'), all: t('state.any') },
          choices: (['on', 'off'] as const).map((value) => ({ value, label: t(`state.${value}`) })),
          of: ({ enabled }) => (enabled ? 'on' : 'off'),
        },
      ]}
    >
      {(one) => <Card key={one.id} one={one} />}
    </CardScreen>
  )
}

function Card({ one: { id, name, url, events, enabled } }: { one: Webhook }) {
  const { t } = useTranslation('webhooks')
  return (
    <LinkCard
      link={
        <Link to="/admin/webhooks/$id" params={{ id }} preload={false} className="link-card-name">
          <bdi>{name}</bdi>
        </Link>
      }
      under={url}
    >
      <span className="hooks-dim">
        {events.includes('*') ? t('events.all') : t('events.kinds', { count: countOf(events) })}
      </span>
      <Badge component="span" variant="light" color={enabled ? 'green' : 'gray'} tt="none">
        {t(enabled ? 'state.on' : 'state.off')}
      </Badge>
    </LinkCard>
  )
}
