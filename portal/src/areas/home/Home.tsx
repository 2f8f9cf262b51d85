import './home.css'
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { queries } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconRefresh } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Counts } from './Counts.tsx'
import { Locked } from './Locked.tsx'
import { Problems } from './Problems.tsx'
import { homeKey, status } from './queries.ts'
import { Refusals } from './Refusals.tsx'
import { SignUps } from './SignUps.tsx'
import { Systems } from './Systems.tsx'

/** What an administrator asks first: is all of it well, and what needs a hand? */
export function Home() {
  const { t, i18n } = useTranslation('home')
  const { dataUpdatedAt, error, data, refetch } = useQuery(status)
  const refreshing = useMutation({ mutationFn: () => queries.invalidateQueries({ queryKey: homeKey }) })
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' })
  if (error instanceof Failure && error.name === 'InsufficientPermission')
    return (
      <>
        <PageHead title={t('title')} />
        <Failed error={error} />
      </>
    )
  return (
    <>
      <PageHead
        title={t('title')}
        lead={dataUpdatedAt > 0 ? t('lead', { time: time.format(dataUpdatedAt) }) : '\u00a0'}
        actions={
          <Button
            variant="default"
            loading={refreshing.isPending}
            leftSection={<IconRefresh size={18} stroke={1.75} aria-hidden />}
            onClick={() => refreshing.mutate()}
          >
            {t('refresh')}
          </Button>
        }
      />
      {error && !data && <Failed error={error} onRetry={refetch} />}
      <Problems />
      <Counts />
      <div className="home-charts">
        <SignUps />
        <div>
          <Refusals />
          <Locked />
        </div>
      </div>
      <Systems />
    </>
  )
}
