import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Failed } from '../../parts/Failed.tsx'
import { HtmlFrame, plainLook } from '../../parts/HtmlFrame.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { preview } from './queries.ts'

/** A text as people would read it; the one before stays until the next is there. */
export function Preview({ text, title }: { text: string; title: string }) {
  const look = useMemo(plainLook, [])
  const { data, error, refetch } = useQuery({ ...preview(text), placeholderData: keepPreviousData })
  if (error) return <Failed error={error} onRetry={refetch} />
  if (data === undefined) return <Loading rows={1} height={416} />
  return <HtmlFrame title={title} html={data} css={look} />
}
