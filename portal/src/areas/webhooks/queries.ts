import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'

export const webhooks = queryOptions({
  queryKey: ['webhooks', 'all'],
  queryFn: async () => (await ok(api.GET('/api/webhooks/'))).results,
})

const at = (id: string) => ({ params: { path: { id } } })

export const webhook = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: async () => (await ok(api.GET('/api/webhooks/{id}', at(id)))).results,
  })
export type Webhook = Awaited<ReturnType<NonNullable<ReturnType<typeof webhook>['queryFn']>>>

/** The last hundred messages to it, the newest first; asked for again soon while one is tried again. */
export const deliveries = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id],
    queryFn: async () => (await ok(api.GET('/api/webhooks/{id}/deliveries', at(id)))).results,
    refetchInterval: ({ state: { data = [] } }) =>
      data.some(({ status }) => status === 'retrying') ? 3000 : false,
  })
export type Delivery = Awaited<ReturnType<NonNullable<ReturnType<typeof deliveries>['queryFn']>>>[number]

export type Written = Pick<Webhook, 'name' | 'url' | 'events'>

/** Answers its id, and the secret that was made for it: nobody reads that again. */
export async function create(written: Written): Promise<{ id: string; secret: string }> {
  const { results, secret = '' } = await ok(api.POST('/api/webhooks/', { body: written }))
  await queries.invalidateQueries({ queryKey: webhooks.queryKey })
  return { id: results.id, secret }
}

/** Answers a secret where a new one was asked for, by `secret: null`. */
export async function change(
  id: string,
  changes: Partial<Written> & { enabled?: boolean; secret?: null },
): Promise<string | undefined> {
  const { secret } = await ok(api.PUT('/api/webhooks/{id}', { ...at(id), body: changes }))
  await Promise.all([
    queries.invalidateQueries({ queryKey: webhook(id).queryKey }),
    queries.invalidateQueries({ queryKey: webhooks.queryKey }),
  ])
  return secret
}

/** Sends a message now, and answers what came of it. */
export async function test(id: string): Promise<Delivery> {
  const { results } = await ok(api.POST('/api/webhooks/{id}/test', at(id)))
  await queries.invalidateQueries({ queryKey: deliveries(id).queryKey })
  return results
}

export async function remove(id: string): Promise<void> {
  await ok(api.DELETE('/api/webhooks/{id}', at(id)))
  await queries.invalidateQueries({ queryKey: webhooks.queryKey })
}

/** Forgets one that is gone, once its screen was left. */
export function forget(id: string): void {
  queries.removeQueries({ queryKey: webhook(id).queryKey })
  queries.removeQueries({ queryKey: deliveries(id).queryKey })
}
