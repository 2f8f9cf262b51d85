import type { AdapterPayload } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { once, recordKey } from './provider-families.ts'
import { providerScripts } from './provider-scripts.ts'
import type { Uses } from './uses.ts'

/** What is good for one use. */
export type Usable = 'AuthorizationCode' | 'RefreshToken'
export type Made = {
  model: 'AccessToken' | 'RefreshToken'
  id: string
  payload: AdapterPayload
  seconds: number
}

/** Codes and refresh tokens for tokens, on the records of provider.ts, for who needs nothing else of the library. */
export function openExchanges(connection: Connection, keys: Keys, uses: Uses) {
  const { client } = connection
  const run = providerScripts(connection)

  return {
    /** What a code or refresh token says, `undefined` for one that is not there or was used before. */
    async find(model: Usable, id: string): Promise<AdapterPayload | undefined> {
      const json = await uses.unused(recordKey(keys, model, id))
      return json ? JSON.parse(json) : undefined
    },

    async write(made: (Made | undefined)[]): Promise<void> {
      await Promise.all(
        made.map((each) => {
          if (!each) return undefined
          const { model, id, payload, seconds } = each
          const key = recordKey(keys, model, id)
          const json = JSON.stringify(payload)
          return once.has(model)
            ? run.put(key, json, seconds * 1000)
            : client.set(key, json, 'PX', seconds * 1000)
        }),
      )
    },

    /** Uses it up: true for exactly one of all that try. */
    consume: (model: Usable, id: string): Promise<boolean> => uses.consume(recordKey(keys, model, id)),

    /** Takes back what was written for somebody who came too late, and never told to anybody. */
    async drop(made: (Made | undefined)[]): Promise<void> {
      await Promise.all(made.map((each) => each && client.unlink(recordKey(keys, each.model, each.id))))
    },
  }
}
