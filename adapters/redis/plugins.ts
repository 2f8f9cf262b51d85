import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { openNamedRecords } from './named-records.ts'
import type { SealedValue } from './reseal.ts'
import { sealedValues } from './reseal.ts'
import { seal, unseal } from './seal.ts'

export type PluginRecord = {
  id: string
  pluginType: string
  name: string
  slug: string
  /** Whether its schedule is loaded. */
  enabled: boolean
  cron: string | null
  config: Record<string, unknown>
  created_by: string
  created_on: number
  updated_on: number
}
/** One run; `at` is when it began. */
export type PluginRun = {
  id: string
  at: number
  finished_at: number | null
  status: 'running' | 'ok' | 'error'
  error: string | null
  log: string
}

/** Instances of plugins, durable, with their runs; each secret sealed by itself, outside of the record. */
export function openPlugins(connection: Connection, keys: Keys) {
  const { secrets, setSecrets, ...records } = openNamedRecords<PluginRecord, PluginRun>(connection, keys, {
    family: 'plugin',
    unique: ({ slug }) => slug,
    most: 200,
  })
  const secret = keys.sealing('plugin')
  const nameOf = (id: string, field: string) => `plugin ${id} ${field}`
  async function* sealed(): AsyncGenerator<SealedValue> {
    for (const { id } of await records.all())
      for (const [field, text] of Object.entries(await secrets(id)))
        yield {
          name: nameOf(id, field),
          sealed: text,
          replace: (next) => setSecrets(id, { [field]: next }),
        }
  }
  return {
    ...records,
    sealed: sealedValues(keys, { what: 'secrets of plugins', purpose: 'plugin' }, sealed),
    /** Sets those that are given, clears those that are null. False where there is no such instance. */
    setSecrets: (id: string, changes: Record<string, string | null>): Promise<boolean> =>
      setSecrets(
        id,
        Object.fromEntries(
          Object.entries(changes).map(([field, value]) => [
            field,
            value === null ? undefined : seal(value, secret, nameOf(id, field)),
          ]),
        ),
      ),
    /** Which secrets there are. */
    secretNames: async (id: string): Promise<string[]> => Object.keys(await secrets(id)),
    /** In clear, for a run. */
    async openSecrets(id: string): Promise<Record<string, string>> {
      const sealed = Object.entries(await secrets(id))
      return Object.fromEntries(
        sealed.map(([field, text]) => [field, unseal(text, secret, nameOf(id, field))]),
      )
    },
  }
}
