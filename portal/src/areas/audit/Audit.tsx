import './audit.css'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconDownload, IconHistory, IconShieldCheck } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { useTargetNames } from '../../parts/useTargetNames.ts'
import { Entry } from './Entry.tsx'
import { Filters } from './Filters.tsx'
import type { Search } from './queries.ts'
import { events, exportAddress } from './queries.ts'
import { VerifyDialog } from './VerifyDialog.tsx'

const size = { size: 18, stroke: 1.75 }

/** What happened, by whom, to whom and from where. */
export function Audit() {
  const { t } = useTranslation(['audit', 'app'])
  const search = useSearch({ from: '/admin/audit' })
  const look = useKeep<Search>()
  const [verifying, { open, close }] = useDisclosure()
  const list = useInfiniteQuery(events(search))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const found = data?.pages.flatMap(({ results }) => results)
  const nameOf = useTargetNames(found)
  return (
    <>
      <PageHead
        title={t('title')}
        lead={t('lead')}
        actions={
          <>
            <Button variant="default" onClick={open} leftSection={<IconShieldCheck {...size} aria-hidden />}>
              {t('verify.open')}
            </Button>
            <Button
              component="a"
              href={exportAddress(search)}
              download="audit.csv"
              variant="default"
              leftSection={<IconDownload {...size} aria-hidden />}
            >
              {t('export')}
            </Button>
          </>
        }
      />
      <Filters search={search} onLook={look} />
      {error && !found && <Failed error={error} onRetry={list.refetch} />}
      {list.isPending && <Loading rows={8} height={64} />}
      {found?.length === 0 && !hasNextPage && (
        <Empty icon={IconHistory} title={t('none.title')}>
          {t('none.text')}
        </Empty>
      )}
      {found && found.length > 0 && (
        <ul className="plain-list card audit-list" aria-label={t('title')}>
          {found.map((event) => (
            <Entry key={event.id} event={event} called={nameOf(event)} onLook={look} />
          ))}
        </ul>
      )}
      {error && found && <Failed error={error} onRetry={() => fetchNextPage()} />}
      {hasNextPage && (
        <div className="audit-more">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {t(found?.length === 0 ? 'lookOn' : 'app:more')}
          </Button>
        </div>
      )}
      <VerifyDialog opened={verifying} onClose={close} />
    </>
  )
}
