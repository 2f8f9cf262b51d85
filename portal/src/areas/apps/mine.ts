import { useLocalStorage } from '@mantine/hooks'
import { useMe } from '../../api/queries.ts'

type Kept = { favourites: string[]; opened: Record<string, number> }
const nothing: Kept = { favourites: [], opened: {} }

/**
 * Favourites and what was opened last, by resource id: a convenience of this browser, kept apart for each person who signs
 * in with it. Nothing of it is a secret.
 */
export function useMine() {
  const { uid } = useMe()
  const [kept, keep] = useLocalStorage<Kept>({
    key: `latchkey-apps:${uid}`,
    defaultValue: nothing,
    getInitialValueInEffect: false,
  })
  return {
    isFavourite: (id: string) => kept.favourites.includes(id),
    openedAt: (id: string) => kept.opened[id] ?? 0,
    toggle: (id: string) =>
      keep((now) => ({
        ...now,
        favourites: now.favourites.includes(id)
          ? now.favourites.filter((each) => each !== id)
          : [...now.favourites, id],
      })),
    opened: (id: string) =>
      keep((now) => ({ ...now, opened: lastOnes({ ...now.opened, [id]: Date.now() }) })),
  }
}

/** Fifty at most, lest it grows for ever. */
function lastOnes(opened: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(opened)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 50),
  )
}
