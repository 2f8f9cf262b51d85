import type { LogEntry, Seal, Verdict } from './audit-seals.ts'
import type { Signer } from './audit-signer.ts'
import { signerOf } from './audit-signer.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import type { Sealed, Sealing } from './reseal.ts'

type Chain = { chain: string; checkpoint: string; verify(signer: Signer): Promise<Verdict> }

/**
 * Makes the seals of the audit log anew with another key, but only of a chain that holds under the one before: nobody gets
 * a forged one signed. The new chain is made aside and takes the place of the old one in one step, so that an interrupted
 * move has moved nothing.
 */
export function sealedChain(
  connection: Pick<Connection, 'aside'>,
  keys: Keys,
  { chain, checkpoint, verify }: Chain,
): Sealed {
  const next = keys.durable('audit', 'seals-next')
  const ours = signerOf(keys.sealing)

  async function look(before: Sealing) {
    if (!(await verify(ours)).fault) return { old: 0, unreadable: [] }
    const { fault, seals } = await verify(signerOf(before))
    return fault
      ? { old: 0, unreadable: [`the audit log (${fault})`] }
      : { old: Math.max(1, seals), unreadable: [] }
  }

  return {
    what: 'seals of the audit log',
    look,
    async move(before) {
      if ((await look(before)).old === 0) return
      const client = await connection.aside()
      const kept = await client.get(checkpoint)
      const start = kept ? ours.sign(JSON.parse(kept) as Seal) : undefined
      let [mac, newest, after] = [start?.mac ?? '', '', '']
      await client.del(next)
      for (;;) {
        const entries: LogEntry[] = await client.xrange(chain, after ? `(${after}` : '-', '+', 'COUNT', 100)
        for (const [id, fields] of entries) {
          const seal = ours.sign({ ...(JSON.parse(fields[1] as string) as Seal), before: mac })
          await client.xadd(next, id, 'seal', JSON.stringify(seal))
          ;[mac, newest, after] = [seal.mac, fields[1] as string, id]
        }
        if (entries.length < 100) break
      }
      const point = start ? JSON.stringify(start) : ''
      const done = await client.eval(replaceLua, 3, chain, next, checkpoint, newest, kept ?? '', point)
      if (done !== 1) throw new Error('The audit log was sealed meanwhile: stop every pod and try again.')
    },
  }
}

/** KEYS chain, the next, checkpoint; ARGV the newest seal and the checkpoint they were made from, the next checkpoint. */
const replaceLua = `
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if (newest and newest[2][2] or '') ~= ARGV[1] then return 0 end
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[2] then return 0 end
if newest then redis.call('RENAME', KEYS[2], KEYS[1]) end
if ARGV[3] ~= '' then redis.call('SET', KEYS[3], ARGV[3]) end
return 1`
