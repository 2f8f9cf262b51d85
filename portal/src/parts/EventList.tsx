import './listed.css'
import { Button, NativeSelect, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { actionNames, kindOf, useActionWords } from './actions.ts'
import { Empty } from './Empty.tsx'
import { Failed } from './Failed.tsx'
import { finder } from './found.ts'
import { IconHistory } from './icons.tsx'
import { Loading } from './Loading.tsx'
import { SearchField } from './SearchField.tsx'
import { useKept } from './useKept.ts'
import { useTargetNames } from './useTargetNames.ts'

/** What the audit log tells of an account. */
export type Event = {
  id: string
  at: number
  actor: string
  action: string
  target: string
  outcome: string
  address: string
  detail?: Record<string, unknown>
}
type Page<E> = { results: E[]; next?: string | undefined }

type Props<E> = {
  /** What the list is called. */
  label: string
  queryKey: readonly string[]
  read: (page: { limit: number; cursor: string | undefined }, signal: AbortSignal) => Promise<Page<E>>
  /** Stands where nothing has happened at all. */
  none: ReactNode
  /** `called` is the name of the target, where the log knows it by an id. */
  children: (event: E, called: string | undefined) => ReactNode
}

const outcomes = ['ok', 'refused', 'failed'] as const
const pageSize = 25
/** Of a search, which only a part of what is read may pass. */
const searchedSize = 500

/**
 * What happened, the newest first and some at a time. A search goes through the words that are read here, so it is done here:
 * in the newest few hundred, and further back when asked.
 */
export function EventList<E extends Event>({ label, queryKey, read, none, children }: Props<E>) {
  const { t } = useTranslation(['app', 'actions'])
  const words = useActionWords()
  const [{ q, kind, outcome }, keep] = useKept()
  const isNarrowed = [q, kind, outcome].some((each) => each !== undefined)
  const limit = isNarrowed ? searchedSize : pageSize
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...queryKey, limit],
    queryFn: ({ pageParam, signal }) => read({ limit, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
  const has = finder(q)
  const kinds = [...new Map(actionNames().map((name) => [words.kind(name), kindOf(name)]))].map(
    ([label, value]) => ({ label, value }),
  )
  const all = data?.pages.flatMap(({ results }) => results)
  const nameOf = useTargetNames(all)
  const shown = all?.filter(
    (event) =>
      (kind === undefined || words.kind(kind) === words.kind(event.action)) &&
      (outcome === undefined || outcome === event.outcome) &&
      has(nameOf(event), ...said(event)),
  )
  return (
    <>
      {(isNarrowed || (all && all.length > 1)) && (
        <div className="listed">
          <SearchField label={t('list.searchIn', { list: label })} value={q} onSearch={(q) => keep({ q })} />
          <NativeSelect
            aria-label={t('list.kind')}
            value={kind ?? ''}
            data={[{ value: '', label: t('list.anyKind') }, ...kinds]}
            onChange={({ currentTarget: { value } }) => keep({ kind: value || undefined })}
          />
          <NativeSelect
            aria-label={t('list.outcome')}
            value={outcome ?? ''}
            data={[
              { value: '', label: t('list.anyOutcome') },
              ...outcomes.map((value) => ({ value, label: words.outcome(value) })),
            ]}
            onChange={({ currentTarget: { value } }) => keep({ outcome: value || undefined })}
          />
        </div>
      )}
      {error && !all && <Failed error={error} onRetry={refetch} />}
      {!error && !all && <Loading rows={6} height={44} />}
      {all?.length === 0 && !hasNextPage && none}
      {all && shown?.length === 0 && (all.length > 0 || hasNextPage) && (
        <Empty icon={IconHistory} title={t('list.unfound')}>
          {t('list.unfoundText')}
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <ul className="plain-list rows" aria-label={label}>
          {shown.map((event) => children(event, nameOf(event)))}
        </ul>
      )}
      {error && all && <Failed error={error} onRetry={() => fetchNextPage()} />}
      {hasNextPage && (
        <div className="listed-more">
          {isNarrowed && all && (
            <Text size="sm" c="dimmed" aria-live="polite">
              {t('list.lookedAt', { count: all.length })}
            </Text>
          )}
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t(isNarrowed ? 'list.lookOn' : 'more')}
          </Button>
        </div>
      )}
    </>
  )

  function said({ action, actor, target, address, outcome, detail = {} }: Event) {
    return [
      ...[words.action(action), words.kind(action), actor, target, address],
      ...[outcome === 'ok' ? undefined : words.outcome(outcome), JSON.stringify(Object.values(detail))],
    ]
  }
}
