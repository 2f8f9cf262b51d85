import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a list keeps in the address, by name. */
export type Kept = { [name: string]: string | undefined }

/** What this screen keeps in the address, and how to keep more; undefined forgets. The route says which names there are. */
export function useKept(): [Kept, (change: Kept) => void] {
  const search = useSearch({ strict: false }) as Kept
  const navigate = useNavigate()
  const next = (change: Kept) => (was: Kept) => ({ ...was, ...change })
  return [
    search,
    (change) => void navigate({ to: '.', search: next(change) as never, replace: true, resetScroll: false }),
  ]
}
