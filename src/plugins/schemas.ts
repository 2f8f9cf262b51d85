import type { Static } from 'typebox'
import Type from 'typebox'
import { mask } from '#src/http/mask.ts'
import { answer, body, message, results } from '#src/http/replies.ts'

const time = Type.Integer({ description: 'Milliseconds.' })
const name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$' })
const slug = Type.String({ maxLength: 64, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', description: 'Unique.' })
const cron = Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()], {
  description: 'Five fields, or six with seconds first; in UTC. Without it, it runs when asked only.',
})
const enabled = Type.Boolean({ description: 'Whether its schedule is loaded.' })
const config = Type.Record(Type.String(), Type.Unsafe<unknown>({}), {
  description: 'As the type’s configSchema says.',
})
const maybe = { error: Type.Union([Type.String(), Type.Null()]) }

export const Instance = answer({
  id: Type.String(),
  pluginType: Type.String(),
  category: Type.String(),
  name,
  slug,
  enabled,
  cron,
  config,
  secrets: Type.Record(Type.String(), Type.Enum([mask, '']), { description: 'Which are set.' }),
  created_by: Type.String(),
  created_on: time,
  updated_on: time,
  last_run_at: Type.Union([time, Type.Null()]),
  last_status: Type.Union([Type.Enum(['running', 'ok', 'error']), Type.Null()]),
  last_error: maybe.error,
})
export type Instance = Static<typeof Instance>

export const PluginTypes = results(
  Type.Array(
    answer({
      type: Type.String(),
      category: Type.String(),
      name: Type.String(),
      description: Type.String(),
      configSchema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
      secrets: Type.Array(Type.String()),
    }),
  ),
)

export const NewInstance = body({
  pluginType: Type.String({ maxLength: 64 }),
  name,
  slug: Type.Optional(slug),
  cron: Type.Optional(cron),
  enabled: Type.Optional(enabled),
  config,
})
export type NewInstance = Static<typeof NewInstance>
export const InstanceChanges = body({
  name: Type.Optional(name),
  slug: Type.Optional(slug),
  cron: Type.Optional(cron),
  enabled: Type.Optional(enabled),
  config: Type.Optional(config),
})
export type InstanceChanges = Static<typeof InstanceChanges>
export const SecretChanges = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 8192 }), Type.Null()]),
  { description: `By name: blank or \`${mask}\` keeps, null clears.` },
)
export type SecretChanges = Static<typeof SecretChanges>

export const InstanceId = Type.Object({ id: Type.String({ maxLength: 64 }) })
export const Listed = results(Type.Array(Instance))
export const One = results(Instance)
export const Written = results(Instance, { message })
export const Removed = results(Type.Boolean(), { message })
export const Began = results(answer({ run_id: Type.String() }), { message })
export const Tested = answer({ success: Type.Boolean(), message, log: Type.String() })
export const Runs = results(
  Type.Array(
    answer({
      id: Type.String(),
      started_at: time,
      finished_at: Type.Union([time, Type.Null()]),
      status: Type.Enum(['running', 'ok', 'error']),
      ...maybe,
      log: Type.String(),
    }),
  ),
)
