import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import type { ChildOptions } from './child.ts'
import type { Redis } from './redis.ts'
import { startRedis } from './redis.ts'
import type { Slapd } from './slapd.ts'
import { startSlapd } from './slapd.ts'

export type Servers = { ldap: Slapd; redis: Redis; [Symbol.asyncDispose](): Promise<void> }

/**
 * slapd and Redis of the quick start, with all they hold under `dataDir`. One that ends by itself is started again on
 * the port it had.
 */
export async function startServers(dataDir: string, say: (line: string) => void): Promise<Servers> {
  const binaries = await findBinaries(dataDir, say)
  const stopping = new AbortController()
  const keepAlive =
    (name: string): ChildOptions['onExit'] =>
    async (reason, start) => {
      say(`${name} ended by itself (${reason}): starting it again.`)
      for (let wait = 250; !stopping.signal.aborted; wait = Math.min(wait * 2, 5_000)) {
        await pause(wait, undefined, { ref: false })
        const error = await start().catch((error: Error) => error)
        if (!error) return
        say(error.message)
      }
    }
  const [ldap, redis] = await Promise.all([
    startSlapd({ dir: join(dataDir, 'ldap'), binaries, onExit: keepAlive('slapd') }),
    startRedis({ dir: join(dataDir, 'redis'), binaries, appendOnly: true, onExit: keepAlive('Redis') }),
  ])
  return {
    ldap,
    redis,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all([ldap.stop(), redis.stop()])
    },
  }
}
