import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Schema } from '../../parts/schema.ts'
import { treeOf, valueAt } from './tree.ts'

const key = ['configuration']

/** Every setting with its declaration, its value and where that comes from. A secret's value is a mask. */
export const settings = queryOptions({
  queryKey: key,
  queryFn: async () => {
    const [declared, values, sources] = await Promise.all([
      ok(api.GET('/api/conf/schema')),
      ok(api.GET('/api/conf/')),
      ok(api.GET('/api/conf/sources')),
    ])
    return declared.results.map(({ schema, ...setting }) => ({
      ...setting,
      schema: schema as Schema,
      section: setting.path.split('.')[0] as string,
      value: valueAt(values, setting.path),
      source: valueAt(sources, setting.path) as 'default' | 'environment' | 'stored',
    }))
  },
})
export type Setting = Awaited<ReturnType<NonNullable<typeof settings.queryFn>>>[number]

/** Values by path; null goes back to what the environment or the default says. */
export type Draft = ReadonlyMap<string, unknown>

/** Stores what is in the draft and nothing else. */
export async function save(draft: Draft): Promise<void> {
  await ok(api.POST('/api/conf/', { body: treeOf(draft) as Record<string, never> }))
  await queries.invalidateQueries({ queryKey: key })
}

/** Sends a message now; answers what the mail server or the SMS service said. */
export function tryOut(what: 'mail' | 'sms', to: string): Promise<{ success: boolean; message: string }> {
  const body = { to }
  return what === 'mail'
    ? ok(api.POST('/api/conf/test-email', { body }))
    : ok(api.POST('/api/conf/test-sms', { body }))
}
