import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Schema } from '../../parts/schema.ts'

/** What settings of a type look like: fields by name, and which must be given. */
export type ConfigSchema = { properties?: Record<string, Schema>; required?: string[] }

export const types = queryOptions({
  queryKey: ['plugins', 'types'],
  queryFn: async () => {
    const { results } = await ok(api.GET('/api/plugins/types'))
    return results.map((type) => ({ ...type, configSchema: type.configSchema as ConfigSchema }))
  },
  staleTime: Number.POSITIVE_INFINITY,
})
export type PluginType = Awaited<ReturnType<NonNullable<typeof types.queryFn>>>[number]

export const instances = queryOptions({
  queryKey: ['plugins', 'all'],
  queryFn: async () => (await ok(api.GET('/api/plugins/'))).results,
})
export type Instance = Awaited<ReturnType<NonNullable<typeof instances.queryFn>>>[number]

const at = (id: string) => ({ params: { path: { id } } })

export const instance = (id: string) =>
  queryOptions({
    queryKey: ['plugins', 'one', id],
    queryFn: async () => (await ok(api.GET('/api/plugins/{id}', at(id)))).results,
  })

/** Its runs, the newest first; asked for again soon while one is under way or `awaited`. */
export const runs = (id: string, awaited?: string) =>
  queryOptions({
    queryKey: ['plugins', 'runs', id],
    queryFn: async () => (await ok(api.GET('/api/plugins/{id}/runs', at(id)))).results,
    refetchInterval: ({ state: { data = [] } }) => {
      const isAwaited = awaited !== undefined && !data.some((run) => run.id === awaited)
      return isAwaited || data.some(({ status }) => status === 'running') ? 1000 : false
    },
  })
export type Run = Awaited<ReturnType<NonNullable<ReturnType<typeof runs>['queryFn']>>>[number]

export type Written = { name: string; cron: string | null; config: Record<string, unknown> }

/** Answers the id of the new one. */
export async function create(pluginType: string, written: Written, enabled: boolean): Promise<string> {
  const { results } = await ok(api.POST('/api/plugins/', { body: { pluginType, ...written, enabled } }))
  await renewed(results.id)
  return results.id
}

export async function change(id: string, written: Written): Promise<void> {
  await ok(api.PUT('/api/plugins/{id}', { ...at(id), body: written }))
  await renewed(id)
}

/** Sets or clears one secret; what it was nobody reads again. */
export async function setSecret(id: string, name: string, value: string | null): Promise<void> {
  await ok(api.PUT('/api/plugins/{id}/secrets', { ...at(id), body: { [name]: value } }))
  await renewed(id)
}

/** Loads or unloads its schedule. */
export async function setLoaded(id: string, loaded: boolean): Promise<void> {
  await ok(loaded ? api.POST('/api/plugins/{id}/load', at(id)) : api.POST('/api/plugins/{id}/unload', at(id)))
  await renewed(id)
}

/** Begins a run; answers its id. */
export async function run(id: string): Promise<string> {
  const { results } = await ok(api.POST('/api/plugins/{id}/run', at(id)))
  await queries.invalidateQueries({ queryKey: runs(id).queryKey })
  return results.run_id
}

/** Does the work once, outside of the runs. */
export const test = (id: string) => ok(api.POST('/api/plugins/{id}/test', at(id)))

export async function remove(id: string): Promise<void> {
  await ok(api.DELETE('/api/plugins/{id}', at(id)))
  await queries.invalidateQueries({ queryKey: instances.queryKey })
}

/** Forgets one that is gone, once its screen was left. */
export function forget(id: string): void {
  queries.removeQueries({ queryKey: instance(id).queryKey })
  queries.removeQueries({ queryKey: runs(id).queryKey })
}

/** What is kept of one, and of all, is asked for again. */
export async function renewed(id: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: instance(id).queryKey }),
    queries.invalidateQueries({ queryKey: instances.queryKey }),
  ])
}
