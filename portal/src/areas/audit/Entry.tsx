import { Anchor, Code } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useActionWords } from '../../parts/actions.ts'
import { IconChevronRight } from '../../parts/icons.tsx'
import { Outcome } from '../../parts/Outcome.tsx'
import { Target } from '../../parts/Target.tsx'
import { Time, wholeDate } from '../../parts/Time.tsx'
import type { Event, Search } from './queries.ts'

type Props = {
  event: Event
  /** The name of the target, where the log knows it by an id. */
  called: string | undefined
  onLook: (only: Search) => void
}

/** One event; opened, all that is known of it. */
export function Entry({ event, called, onLook }: Props) {
  const { t } = useTranslation('audit')
  const words = useActionWords()
  const [open, setOpen] = useState(false)
  const { at, actor, action, target, outcome } = event
  return (
    <li>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="audit-entry">
          <IconChevronRight className="audit-turn" size={16} stroke={2} aria-hidden />
          <span className="audit-what">
            <span className="audit-action">{words.action(action)}</span> <Outcome outcome={outcome} />
          </span>
          <span className="audit-who">
            <bdi>{nameOf(actor, t('nobody'), t('service'))}</bdi>
            {target !== '' && target !== actor && (
              <>
                {' '}
                <span aria-hidden>→</span> <Target {...{ target, called }} />
              </>
            )}
          </span>
          <span className="audit-when">
            <Time at={at} />
          </span>
        </summary>
        {open && <Detail {...{ event, called, onLook }} />}
      </details>
    </li>
  )
}

function Detail({ event, called, onLook }: Props) {
  const { t, i18n } = useTranslation('audit')
  const { id, at, actor, action, target, address, detail = {}, api_token } = event
  const only = (search: Search) => (
    <Anchor component="button" type="button" size="sm" className="audit-only" onClick={() => onLook(search)}>
      {t('only')}
    </Anchor>
  )
  const facts = [
    [t('fact.at'), wholeDate(at, i18n.language, 'medium')],
    [t('fact.actor'), nameOf(actor, t('nobody'), t('service')), actor !== '' && only({ actor })],
    [t('fact.target'), target && <Target {...{ target, called }} />, target !== '' && only({ target })],
    [t('fact.action'), <Code key="action">{action}</Code>, only({ action })],
    [t('fact.address'), address],
    [t('fact.token'), api_token],
    ...Object.entries(detail).map(([name, value]) => [<Code key={name}>{name}</Code>, shown(value)] as const),
    [t('fact.id'), <Code key="id">{id}</Code>],
  ] as const
  return (
    <dl className="audit-facts">
      {facts.map(
        ([name, value, more], nth) =>
          value !== undefined &&
          value !== '' && (
            // biome-ignore lint/suspicious/noArrayIndexKey: what an event says never changes its place
            <div key={nth}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi> {more}
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

function nameOf(actor: string, nobody: string, service: string): string {
  return actor === '' ? nobody : actor === 'service' ? service : actor
}

/** Values of a detail are of any kind. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
