import { Alert, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconChevronRight, IconHistory } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import type { Run } from './queries.ts'
import { renewed, runs } from './queries.ts'
import { RunState } from './RunState.tsx'

const said = ({ error, log }: Run) => [error, log]
const orders: [Order<Run>, ...Order<Run>[]] = [
  { value: 'newest', by: (a, b) => b.started_at - a.started_at },
  { value: 'oldest', by: (a, b) => a.started_at - b.started_at },
]

/** Its last hundred runs, the newest first; `awaited` is one that was asked for and may not have begun. */
export function Runs({ id, awaited }: { id: string; awaited: string | undefined }) {
  const { t } = useTranslation('plugins')
  const all = useQuery(runs(id, awaited))
  const [newest] = all.data ?? []
  const end = {
    ...{ name: 'status', label: t('runs.end'), all: t('runs.anyEnd') },
    choices: (['ok', 'error', 'running'] as const).map((value) => ({ value, label: t(`runs.${value}`) })),
    of: ({ status }: Run) => status,
  }
  // The list of all shows how the last run ended.
  useEffect(() => {
    if (newest?.finished_at) void renewed(id)
  }, [id, newest?.finished_at])
  return (
    <Panel title={t('runs.title')} lead={t('runs.lead')}>
      <Asked of={all} height={44}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={IconHistory} title={t(awaited === undefined ? 'runs.none' : 'runs.waits')} />
          ) : (
            <Listed {...{ label: t('runs.title'), rows, orders, filters: [end] }} said={said}>
              {(shown) => (
                <ul className="plain-list rows" aria-label={t('runs.title')}>
                  {shown.map((run) => (
                    <OneRun key={run.id} run={run} />
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

function OneRun({ run: { started_at, finished_at, status, error, log } }: { run: Run }) {
  const { t, i18n } = useTranslation('plugins')
  const seconds = finished_at === null ? undefined : (finished_at - started_at) / 1000
  const took =
    seconds !== undefined &&
    new Intl.NumberFormat(i18n.language, {
      ...{ style: 'unit', unit: 'second', maximumFractionDigits: seconds < 10 ? 1 : 0 },
    }).format(seconds)
  return (
    <li>
      <details className="plugins-run">
        <summary>
          <IconChevronRight className="plugins-turn" size={16} stroke={2} aria-hidden />
          <RunState status={status} /> <Time at={started_at} />
          <span className="plugins-dim">{took && t('runs.took', { took })}</span>
          {error && <span className="plugins-error">{error}</span>}
        </summary>
        {error && (
          <Alert color="red" mb="xs">
            {error}
          </Alert>
        )}
        {log ? <Code block>{log}</Code> : <p className="plugins-dim plugins-said">{t('runs.noLog')}</p>}
      </details>
    </li>
  )
}
