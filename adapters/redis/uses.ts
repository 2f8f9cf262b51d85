/**
 * One use of what is good for one: of all that try at once exactly one succeeds.
 *
 * Where nobody knows whether Redis did it, a use is answered with an error and given back, as if it had not happened. Each
 * has a name, so that only it is given back, and so that one which arrives at Redis after that comes too late.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, Log } from './connection.ts'
import { tombstoneMilliseconds } from './provider-families.ts'
import { providerScripts } from './provider-scripts.ts'

export type Uses = ReturnType<typeof openUses>

/** Whoever comes just after a use waits this long for it to be given back. */
const wait = { tries: 3, milliseconds: 150 }
/** Redis may be away for a while when a use is to be given back. */
const giving = { forMilliseconds: 600_000, pauseMilliseconds: 100 }

export function openUses(connection: Connection, log: Log) {
  const run = providerScripts(connection)

  /** As if that use had not been, as soon as Redis hears it. */
  async function giveBack(key: string, use: string): Promise<void> {
    for (const end = Date.now() + giving.forMilliseconds; Date.now() < end; ) {
      const given = await run.giveBack(key, use).catch(() => undefined)
      if (given !== undefined) return
      await pause(giving.pauseMilliseconds, undefined, { ref: false })
    }
    log.error('a code or token stays used although the request that used it was answered with an error')
  }

  return {
    /** The payload of what was not used yet, as it is at this moment: who finds nothing asks `find`. */
    async unused(key: string): Promise<string | undefined> {
      const found = (await run.find(key)) as [string, string | null] | 'young' | null
      return found && found !== 'young' && !found[1] ? found[0] : undefined
    },

    /**
     * Payload and time of use. For 3 seconds after its use a record is not found: those who raced for it and lost are only
     * refused; whoever comes later shows the copy of a used token, and its grant is revoked.
     */
    async find(key: string): Promise<[json: string, consumed: string | null] | undefined> {
      for (let tries = 0; tries < wait.tries; tries++) {
        const found = (await run.find(key)) as [string, string | null] | 'young' | null
        if (found !== 'young') return found ?? undefined
        await pause(wait.milliseconds)
      }
      return undefined
    },

    /** True for the first of all that use it; false when it is gone. */
    async consume(key: string): Promise<boolean> {
      const use = randomUUID()
      try {
        return (await run.consume(key, tombstoneMilliseconds, use)) === 1
      } catch (error) {
        void giveBack(key, use)
        throw error
      }
    },
  }
}
