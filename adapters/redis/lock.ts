import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** Longest that one holder keeps the others out, should it die or stall. */
const lifeMilliseconds = 15_000
/** Longest that anybody waits for a lock. */
const patienceMilliseconds = 9_000

export type Locks = ReturnType<typeof openLocks>

/**
 * Locks over all pods, for changes of the directory that rest on what another entry says (LDAP has no transactions).
 * A lock lapses by itself, so its holder may lose it in the middle of a stalled change: who must not have acted beside
 * another looks again.
 */
export function openLocks(connection: Connection, keys: Keys) {
  const release = defineScript(connection, 'lockRelease', { keys: 1, lua: releaseLua })

  async function acquire(key: string, token: string): Promise<void> {
    const until = Date.now() + patienceMilliseconds
    // A failed SET may lie in the socket and be done yet, for nobody.
    const taken = () =>
      connection.client.set(key, token, 'PX', lifeMilliseconds, 'NX').catch(async (error) => {
        await release(key, token).catch(() => {})
        throw error
      })
    while (!(await taken())) {
      if (Date.now() > until)
        throw new Refusal('Conflict', 'Others are changing this right now: try again in a moment.')
      await pause(5 + Math.random() * 20)
    }
  }

  return {
    /**
     * Runs `act` while no other pod runs one under this name, unless the lock lapsed (or its Redis was replaced) before
     * an `act` had ended. Throws Conflict when the others take too long.
     */
    async exclusively<T>(name: string, act: () => Promise<T>): Promise<T> {
      const key = keys.durable('lock', name)
      const token = randomBytes(16).toString('base64url')
      await acquire(key, token)
      try {
        return await act()
      } finally {
        await release(key, token).catch(() => {})
      }
    },
  }
}

/** Only the holder's own token opens the lock: one that lapsed may be somebody else's by now. */
const releaseLua = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`
