import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { useActionWords } from '../../parts/actions.ts'
import { Empty } from '../../parts/Empty.tsx'
import { IconSend } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import type { Delivery } from './queries.ts'
import { deliveries } from './queries.ts'

const colours = { delivered: 'green', retrying: 'yellow', failed: 'red' } as const

const statuses = ['delivered', 'retrying', 'failed'] as const
const ping = 'webhook.ping'
const orders: [Order<Delivery>, ...Order<Delivery>[]] = [
  { value: 'newest', by: (a, b) => b.at - a.at },
  { value: 'oldest', by: (a, b) => a.at - b.at },
]

/** The last hundred messages and what became of each. */
export function Deliveries({ id }: { id: string }) {
  const { t } = useTranslation('webhooks')
  const words = useActionWords()
  const outcome = {
    ...{ name: 'status', label: t('deliveries.outcome'), all: t('deliveries.any') },
    choices: statuses.map((value) => ({ value, label: t(`deliveries.${value}`) })),
    of: ({ status }: Delivery) => status,
  }
  const said = ({ type, error, response_status }: Delivery) => [
    type === ping ? t('deliveries.ping') : words.action(type),
    ...[error, response_status?.toString()],
  ]
  return (
    <Panel title={t('deliveries.title')} lead={t('deliveries.lead')}>
      <Asked of={useQuery(deliveries(id))} height={44}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={IconSend} title={t('deliveries.none')} />
          ) : (
            <Listed {...{ label: t('deliveries.title'), rows, orders, filters: [outcome] }} said={said}>
              {(shown) => (
                <ul className="plain-list rows hooks-sent" aria-label={t('deliveries.title')}>
                  {shown.map((one) => (
                    <OneDelivery key={one.id} one={one} />
                  ))}
                </ul>
              )}
            </Listed>
          )
        }
      </Asked>
    </Panel>
  )
}

function OneDelivery({ one }: { one: Delivery }) {
  const { t } = useTranslation('webhooks')
  const words = useActionWords()
  const { type, status, attempts, at, last_attempt_at, response_status, error } = one
  return (
    <li>
      <div className="hooks-message">
        <strong>{type === ping ? t('deliveries.ping') : words.action(type)}</strong>
        <Badge component="span" variant="light" color={colours[status]} tt="none">
          {t(`deliveries.${status}`)}
        </Badge>
        {response_status !== null && <span className="hooks-dim">HTTP {response_status}</span>}
        <span className="hooks-dim">
          {t('deliveries.attempts', { count: attempts })} · <Time at={attempts > 1 ? last_attempt_at : at} />
        </span>
      </div>
      {error && (
        <p className="hooks-error" lang="en">
          {error}
        </p>
      )}
    </li>
  )
}
