import type { Connection } from './connection.ts'
import { refuse } from './connection.ts'
import type { RecordLine, RecordType } from './copy.ts'
import { literally, namesOf } from './copy.ts'
import type { Keys } from './keys.ts'

/** Lines that are under way at once. */
const atOnce = 100

/** Puts records of a backup where nothing is yet. */
export function openCopyBack(connection: Pick<Connection, 'servers' | 'client'>, keys: Keys) {
  const { client } = connection
  const marker = keys.durable('restore')

  async function put({ key, type, values, expires_at }: RecordLine, begins: boolean): Promise<void> {
    if (expires_at !== undefined && expires_at <= Date.now()) return
    const commands: [string, ...string[]][] = [
      ...(begins ? [['DEL', key] as [string, string]] : []),
      ...writes[type](key, values),
      ...(expires_at === undefined
        ? []
        : [['PEXPIREAT', key, String(expires_at)] as [string, string, string]]),
    ]
    // One turn of the event loop: they leave in this order, together.
    await Promise.all(commands.map(([command, ...args]) => client.call(command, ...args))).catch((cause) => {
      throw new Error(`Redis refuses ${key}: ${cause.message}`, { cause })
    })
  }

  return {
    /** Which backup's restore was begun here and has not ended. */
    begun: (): Promise<string | null> => client.get(marker),
    /** False when another was begun meanwhile. */
    async begin(id: string): Promise<boolean> {
      return (await client.set(marker, id, 'NX')) === 'OK' || (await client.get(marker)) === id
    },
    async end(): Promise<void> {
      await client.del(marker)
    },
    /** Whether nothing lies under the prefix, but for what says that a restore was begun. */
    async isEmpty(): Promise<boolean> {
      const pattern = `${literally(keys.prefix)}:*`
      for (const server of connection.servers())
        for await (const page of orRefuse(namesOf(server, pattern)))
          if (page.some((name) => name !== marker)) return false
      return true
    },
    /** Answers how many records they were. */
    async put(lines: AsyncIterable<RecordLine>): Promise<number> {
      let last = ''
      let records = 0
      let underWay: Promise<void>[] = []
      for await (const line of lines) {
        const begins = line.key !== last
        last = line.key
        records += begins ? 1 : 0
        const one = put(line, begins)
        one.catch(() => {}) // told when all are awaited
        underWay.push(one)
        if (underWay.length < atOnce) continue
        await Promise.all(underWay)
        underWay = []
      }
      await Promise.all(underWay)
      return records
    },
  }
}

async function* orRefuse<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    refuse(error)
  }
}

const flat = (command: string) => (key: string, values: RecordLine['values']) => [
  [command, key, ...(values as string[])] as [string, ...string[]],
]

const writes: Record<RecordType, (key: string, values: RecordLine['values']) => [string, ...string[]][]> = {
  string: flat('SET'),
  hash: flat('HSET'),
  set: flat('SADD'),
  list: flat('RPUSH'),
  zset: (key, values) => {
    const pairs = (values as string[]).flatMap((member, at) =>
      at % 2 ? [] : [values[at + 1] as string, member],
    )
    return [['ZADD', key, ...pairs]]
  },
  stream: (key, values) => (values as string[][]).map((entry) => ['XADD', key, ...entry]),
}
