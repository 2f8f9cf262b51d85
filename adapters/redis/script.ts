import { createHash } from 'node:crypto'
import type { Connection } from './connection.ts'

export type Script = (...keysAndArguments: (string | number)[]) => Promise<unknown>

/**
 * The function that runs a Lua script: first its `keys` keys, which lie in one slot, then its arguments. Sent whole once,
 * then by its digest, and whole again where Redis does not know it (EVALSHA answers NOSCRIPT and did nothing). Not by
 * ioredis's `defineCommand`, which copies every script there is into every flush. A `durable` one waits for the replicas.
 */
export function defineScript(
  { client, durably }: Pick<Connection, 'client' | 'durably'>,
  name: string,
  { keys, lua, durable = false }: { keys: number; lua: string; durable?: boolean },
): Script {
  const text = `-- ${name}\n${lua}` // named in SLOWLOG and MONITOR
  const digest = createHash('sha1').update(text).digest('hex')
  const whole: Script = (...args) =>
    durable ? durably('eval', text, keys, ...args) : client.eval(text, keys, ...args)
  const known: Script = (...args) =>
    durable ? durably('evalsha', digest, keys, ...args) : client.evalsha(digest, keys, ...args)
  let sent = false
  return (...args) => {
    if (!sent) {
      sent = true
      return whole(...args)
    }
    return known(...args).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error
      return whole(...args)
    })
  }
}
