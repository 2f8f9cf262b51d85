import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Run } from './queries.ts'

const colours = { running: 'yellow', ok: 'green', error: 'red' } as const

/** How a run ended, or that it goes on. */
export function RunState({ status }: Pick<Run, 'status'>) {
  const { t } = useTranslation('plugins')
  return (
    <Badge component="span" variant="light" color={colours[status]} tt="none">
      {t(`runs.${status}`)}
    </Badge>
  )
}
