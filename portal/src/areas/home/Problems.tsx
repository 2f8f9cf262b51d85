import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconCircleCheck } from '../../parts/icons.tsx'
import { wholeDate } from '../../parts/Time.tsx'
import { Go } from './Go.tsx'
import type { Problem } from './problems.ts'
import { useProblems } from './problems.ts'
import { status } from './queries.ts'

/** What is wrong stands first; where nothing is, one quiet line says so, once everything has answered. */
export function Problems() {
  const { t } = useTranslation(['home', 'app'])
  const found = useProblems()
  const { isError } = useQuery(status)
  if (!found && isError) return null
  if (!found || (found.waits && found.problems.length === 0))
    return <Skeleton height={52} mb="lg" radius="lg" role="status" aria-label={t('app:loading')} />
  const { problems, lost } = found
  if (problems.length === 0 && !lost)
    return (
      <p className="card home-well">
        <IconCircleCheck size={20} stroke={1.75} aria-hidden />
        {t('well')}
      </p>
    )
  return (
    <>
      {lost && (
        <div className="home-lost">
          <Failed error={lost.error} onRetry={() => void lost.refetch()} />
        </div>
      )}
      {problems.length > 0 && (
        <section className="home-problems" aria-label={t('wrong', { count: problems.length })}>
          <ul className="plain-list">
            {problems.map((problem) => (
              <One key={`${problem.of} ${problem.values.name} ${problem.values.error}`} problem={problem} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function One({ problem: { of, grave, values, to } }: { problem: Problem }) {
  const { t, i18n } = useTranslation('home')
  const { count = 1, name = '', error = '', at } = values
  const given = { count, name, error, date: at === undefined ? '' : wholeDate(at, i18n.language) }
  return (
    <li className="home-problem" data-grave={grave}>
      <IconAlertTriangle size={20} stroke={1.75} aria-hidden />
      <div className="grows">
        <Text component="h2" fw={600} size="md" c="bright">
          {t(`problems.${of}.title`, given)}
        </Text>
        <Text size="sm">{t(`problems.${of}.text`, given)}</Text>
        {error && (
          <Text size="sm" c="dimmed" className="said" lang="en" mt={6}>
            {error}
          </Text>
        )}
      </div>
      <Go to={to} className="home-act">
        {t(`problems.${of}.act`)}
      </Go>
    </li>
  )
}
