import type { Keys } from './keys.ts'

/**
 * What may open an account for a while (a one-time code, a reset link, an impersonation) lies in one slot with the
 * account's generation, which changes whenever all its sessions end (sessions.ts, `endAll`). Each is made under the
 * generation that its maker read before looking at the account, and is worth nothing under another: so locking, deleting
 * and a new password end them all in the same step, those under way included.
 */
export function accountKeys(keys: Keys, uid: string, part: string): [record: string, generation: string] {
  const id = uid.toLowerCase()
  return [keys.voidable('account', id, part), keys.voidable('account', id, 'generation')]
}

/** Lua. KEYS[1] is the record, KEYS[2] the generation. */
export const accountLua = `local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
local generation = redis.call('GET', KEYS[2]) or '0'
`
/** Lua of makers: ARGV[1] is the generation they read. It outlives whatever is made under it (a day at most). */
export const makerLua = `${accountLua}if ARGV[1] ~= generation then return 0 end
redis.call('PEXPIRE', KEYS[2], 172800000)
`
