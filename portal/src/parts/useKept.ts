import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a list keeps in the address, by name. */
export type Kept = { [name: string]: string | undefined }

/** What this screen keeps in the address, and how to keep more; undefined forgets. The route says which names there are. */
export function useKept(): [Kept, (change: Kept) => void] {
  return [useSearch({ strict: false }) as Kept, useKeep()]
}

/**
 * How a screen keeps more in the address, given the change alone: what it shows may be older than the address, and what was
 * chosen in between must stay. With `replace` false one can go back to what was there before.
 */
export function useKeep<S extends object = Kept>({ resetScroll = false } = {}) {
  const navigate = useNavigate()
  return (change: S, replace = true): void => {
    const next = (was: object) => ({ ...was, ...change })
    void navigate({ to: '.', search: next as never, replace, resetScroll })
  }
}
