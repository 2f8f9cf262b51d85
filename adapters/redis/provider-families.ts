import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'

/** Families of the models. Those of `once` are good for one use. */
const families: Record<string, string> = {
  AccessToken: 'access-token',
  AuthorizationCode: 'code',
  RefreshToken: 'refresh-token',
  ClientCredentials: 'client-token',
  Grant: 'grant',
  Interaction: 'interaction',
}
export const once = new Set(['AuthorizationCode', 'RefreshToken'])
/** A consumed token is remembered this long to recognise its reuse; a family of rotated ones stays small. */
export const tombstoneMilliseconds = 3 * 86_400_000

/** The key of a record. A grant's id is no bearer value. */
export function recordKey(keys: Keys, model: string, id: string): string {
  const family = families[model]
  if (!family) throw new Error(`no records of ${model} are kept`)
  return keys.voidable(family, model === 'Grant' ? id : hashed(id))
}
