import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { clients, oneKey } from './queries.ts'
import type { Changes, Client, NewFields } from './types.ts'

const at = (client_id: string) => ({ params: { path: { client_id } } })

/** Registers an application. Its secret is answered this once; one that is public has none. */
export async function register(fields: NewFields): Promise<{ client_id: string; client_secret?: string }> {
  const { results, client_secret } = await ok(api.POST('/api/oauth/client/', { body: fields }))
  await changed()
  return { client_id: results.client_id, ...(client_secret ? { client_secret } : {}) }
}

/** Changes these fields; refused with Conflict when somebody changed the application after `updated_on` of `client`. */
export async function save({ client_id, updated_on }: Client, changes: Changes): Promise<Client> {
  const params = { path: { client_id }, query: { unless_after: updated_on } }
  const { results } = await ok(api.PUT('/api/oauth/client/{client_id}', { params, body: changes }))
  await changed(client_id)
  return results
}

/** Switches it on or off, whatever else was changed meanwhile: this may be urgent. */
export async function switchTo(is_valid: boolean, client_id: string): Promise<void> {
  await ok(api.PUT('/api/oauth/client/{client_id}', { ...at(client_id), body: { is_valid } }))
  await changed(client_id)
}

/** Answers the new secret, this once. */
export async function rotate(client_id: string): Promise<string> {
  const { client_secret } = await ok(api.POST('/api/oauth/client/{client_id}/rotate', at(client_id)))
  await changed(client_id)
  return client_secret
}

export async function remove(client_id: string): Promise<void> {
  await ok(api.DELETE('/api/oauth/client/{client_id}', at(client_id)))
  await queries.invalidateQueries({ queryKey: clients.queryKey })
}

/** It is gone, and its screen was left. */
export function forget(client_id: string): void {
  queries.removeQueries({ queryKey: oneKey(client_id) })
}

/** What somebody would be told of at an application, or why nothing. */
export async function preview(client_id: string, body: { uid: string; scope?: string }) {
  return (await ok(api.POST('/api/oauth/client/{client_id}/preview', { ...at(client_id), body }))).results
}
export type Preview = Awaited<ReturnType<typeof preview>>

async function changed(client_id?: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: clients.queryKey }),
    ...(client_id === undefined ? [] : [queries.invalidateQueries({ queryKey: oneKey(client_id) })]),
  ])
}
