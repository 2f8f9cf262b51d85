import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { Failed } from './Failed.tsx'

/** Stands where a screen could not be shown. */
export function Broken({ error }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    void queries.resetQueries({ predicate: ({ state }) => state.status === 'error' })
    void router.invalidate()
  }
  return <Failed error={error} onRetry={again} />
}
