import type { Deps } from '#src/deps.ts'

/** Cancels what was asked of a resource that is gone. */
export async function cancelRequestsFor({ store }: Pick<Deps, 'store'>, resourceId: string): Promise<void> {
  for (const request of await store.accessRequests.pending())
    if (request.resourceId === resourceId)
      await store.accessRequests.change(request.id, ({ granting: _, ...current }) => ({
        ...current,
        state: 'cancelled',
      }))
}
