import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** A version of the terms of service; an empty text means that nothing is to be accepted. */
export type Terms = { version: number; text: string; created_by: string; created_on: number }

/**
 * The terms of service, durable: one hash with the text in force, beside it every version there was, by number. They are
 * numbered from 1 in one script; version 0 is the time before there was any text.
 */
export function openTerms(connection: Connection, keys: Keys) {
  const { client } = connection
  const current = keys.durable('terms')
  const history = keys.durable('terms', 'history')
  const publish = defineScript(connection, 'termsPublish', { keys: 2, lua: publishLua, durable: true })

  const version = async () => Number((await client.hget(current, 'version')) ?? 0)

  /** Versions by number, those that never were left out. */
  async function some(numbers: number[]): Promise<Terms[]> {
    if (numbers.length === 0) return []
    const found = await client.hmget(history, ...numbers.map(String))
    return numbers.flatMap((number, at) => {
      const json = found[at]
      return json ? [{ version: number, ...JSON.parse(json) } as Terms] : []
    })
  }

  return {
    /** The number in force, and whether there is a text to accept; one round trip. */
    async standing(): Promise<{ version: number; inForce: boolean }> {
      const [number, length] = await Promise.all([version(), client.hstrlen(current, 'text')])
      return { version: number, inForce: length > 0 }
    },

    async current(): Promise<Terms | undefined> {
      const [number, text, created_by, created_on] = await client.hmget(
        current,
        ...['version', 'text', 'created_by', 'created_on'],
      )
      if (!number) return undefined
      return {
        version: Number(number),
        text: text ?? '',
        created_by: created_by ?? '',
        created_on: Number(created_on),
      }
    },

    async find(number: number): Promise<Terms | undefined> {
      return (await some([number]))[0]
    },

    /** At most `limit` versions below `before`, the newest first. */
    async list({ limit, before }: { limit: number; before?: number }): Promise<Terms[]> {
      const newest = Math.min(await version(), (before ?? Number.POSITIVE_INFINITY) - 1)
      return some(Array.from({ length: Math.max(0, Math.min(limit, newest)) }, (_, at) => newest - at))
    },

    /** Puts a text in force as the next version; the text that is in force already stays the version it is. */
    async publish({ text, created_by }: Pick<Terms, 'text' | 'created_by'>): Promise<Terms> {
      const record = { text, created_by, created_on: Date.now() }
      const [number, by, on] = (await publish(
        ...[current, history, text, created_by, record.created_on],
        JSON.stringify(record),
      )) as [string, string, string]
      return { version: Number(number), text, created_by: by, created_on: Number(on) }
    },
  }
}

/** KEYS current, history; ARGV text, created_by, created_on, record. */
const publishLua = `
if redis.call('HGET', KEYS[1], 'text') ~= ARGV[1] then
  local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
  redis.call('HSET', KEYS[1], 'text', ARGV[1], 'created_by', ARGV[2], 'created_on', ARGV[3])
  redis.call('HSET', KEYS[2], version, ARGV[4])
end
return redis.call('HMGET', KEYS[1], 'version', 'created_by', 'created_on')`
