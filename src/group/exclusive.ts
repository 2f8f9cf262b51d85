import type { Deps } from '#src/deps.ts'

/**
 * Makes a change of groups that rests on what several entries say, one at a time over all pods: LDAP has no
 * transactions. A lock can lapse under a holder that stalls, and the next one cannot tell. So each looks again after its
 * change, and of two the later one sees both: `recheck` takes the change back and throws where it should not have been
 * made. Throws Conflict when the others take too long.
 */
export async function exclusively<T>(
  { store }: Pick<Deps, 'store'>,
  { act, recheck }: { act: () => Promise<T>; recheck: (made: T) => Promise<void> },
): Promise<T> {
  const made = await store.locks.exclusively('groups', act)
  await recheck(made)
  return made
}
