import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failed } from './Failed.tsx'
import { Loading } from './Loading.tsx'

type Props<T> = {
  of: UseQueryResult<T>
  rows?: number
  height?: number
  children: (data: T) => ReactNode
}

/** What a query answered; until then a placeholder, or what went wrong. */
export function Asked<T>({ of: { data, error, refetch }, rows = 3, height = 56, children }: Props<T>) {
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} onRetry={refetch} />
  return <Loading rows={rows} height={height} />
}
