import { randomBytes } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import type { SealedValue } from './reseal.ts'
import { sealedValues } from './reseal.ts'
import { defineScript } from './script.ts'
import { seal, unseal } from './seal.ts'

/** What is stored of the settings, by path (`smtp.host`). */
export type StoredConf = {
  /** Another with each change; empty before the first. */
  version: string
  /** Another with each change of the signing secret (keys.ts). */
  era: string
  values: Map<string, unknown>
  /** Sealed under another key than ours. */
  unreadable: string[]
}
export type ConfChange = {
  set: { path: string; value: unknown; secret: boolean }[]
  clear: string[]
  /** Begins a new era. */
  voids: boolean
}

const versionField = '@version'
const eraField = '@era'

/**
 * Settings that were changed at run time, durable: one hash, a field for each path, its value as JSON or, of a secret,
 * sealed so that it outlives a new signing secret (the signing secret itself lies here). The path is authenticated.
 */
export function openStoredConf(connection: Connection, keys: Keys) {
  const hash = keys.durable('conf')
  const secret = keys.sealing('conf')
  const name = (path: string) => `conf ${path}`
  const change = defineScript(connection, 'confChange', {
    keys: 1,
    // ARGV version before, next version, era or '', JSON of [path, text]…, JSON of paths to clear
    lua: `if (redis.call('HGET', KEYS[1], '${versionField}') or '') ~= ARGV[1] then return 0 end
      redis.call('HSET', KEYS[1], '${versionField}', ARGV[2])
      if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], '${eraField}', ARGV[3]) end
      for _, entry in ipairs(cjson.decode(ARGV[4])) do redis.call('HSET', KEYS[1], entry[1], entry[2]) end
      for _, path in ipairs(cjson.decode(ARGV[5])) do redis.call('HDEL', KEYS[1], path) end
      redis.call('PUBLISH', '${keys.durable('bus')}', 'conf ' .. ARGV[2])
      return 1`,
    durable: true,
  })

  async function* sealed(): AsyncGenerator<SealedValue> {
    for (const [path, text] of Object.entries(await connection.client.hgetall(hash))) {
      if (path.startsWith('@')) continue
      const { sealed } = JSON.parse(text) as { sealed?: string }
      if (sealed === undefined) continue
      const replace = async (next: string) => {
        const version = await connection.client.hget(hash, versionField)
        const texts = JSON.stringify([[path, JSON.stringify({ sealed: next })]])
        if ((await connection.client.hget(hash, path)) === text)
          await change(hash, version ?? '', random(), '', texts, '[]')
      }
      yield { name: name(path), sealed, replace }
    }
  }

  return {
    sealed: sealedValues(keys, { what: 'settings', purpose: 'conf' }, sealed),

    /** The version alone, past the requests. */
    async version(): Promise<string> {
      return (await (await connection.aside()).hget(hash, versionField)) ?? ''
    },

    async read(): Promise<StoredConf> {
      const fields = await connection.client.hgetall(hash)
      const { [versionField]: version = '', [eraField]: era = '', ...stored } = fields
      const found: StoredConf = { version, era, values: new Map(), unreadable: [] }
      for (const [path, text] of Object.entries(stored)) {
        const { value, sealed } = JSON.parse(text) as { value?: unknown; sealed?: string }
        try {
          found.values.set(
            path,
            sealed === undefined ? value : JSON.parse(unseal(sealed, secret, name(path))),
          )
        } catch {
          found.unreadable.push(path)
        }
      }
      return found
    },

    /** Applies a change that was made from that version, and tells all pods; false when somebody else was first. */
    async change(from: string, { set, clear, voids }: ConfChange): Promise<boolean> {
      const texts = set.map(({ path, value, secret: hidden }) => {
        const kept = hidden ? { sealed: seal(JSON.stringify(value), secret, name(path)) } : { value }
        return [path, JSON.stringify(kept)]
      })
      const [next, era] = [random(), voids ? random() : '']
      return (await change(hash, from, next, era, JSON.stringify(texts), JSON.stringify(clear))) === 1
    },
  }
}

function random(): string {
  return randomBytes(9).toString('base64url')
}
