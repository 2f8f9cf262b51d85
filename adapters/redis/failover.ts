/**
 * Follows the Sentinels. ioredis asks them when it connects, and a primary that is cut off from them goes on answering:
 * with old records, and taking writes that will be lost. So they are asked again and again, and when the newest of their
 * answers names another primary, every connection goes there.
 */
import type { RedisOptions } from 'ioredis'
import { Redis } from 'ioredis'
import type { Config } from '#src/settings.ts'
import type { Log } from './connection.ts'

const askMilliseconds = 1000

type Primary = { address: string; epoch: number }
type Followed = {
  clients: Set<Redis>
  newest: Primary | undefined
  /** Addresses that were the primary's: a Sentinel that is cut off as well may still name them. */
  past: Set<string>
}
const all = new WeakMap<Config['redis'], Followed>()

function followed(settings: Config['redis']): Followed {
  const known = all.get(settings) ?? { clients: new Set(), newest: undefined, past: new Set() }
  all.set(settings, known)
  return known
}

/** To be led to another primary when there is one, until it ends. */
export function enroll(settings: Config['redis'], client: Redis): Redis {
  const { clients } = followed(settings)
  clients.add(client)
  client.once('end', () => clients.delete(client))
  return client
}

/** Where ioredis goes instead of an address that a Sentinel gave it (its `natMap`); itself where that is not the past. */
export function insteadOf(settings: Config['redis'], address: string): { host: string; port: number } | null {
  const { past, newest } = followed(settings)
  if (!newest || !past.has(address)) return null
  const at = newest.address.lastIndexOf(':')
  return { host: newest.address.slice(0, at), port: Number(newest.address.slice(at + 1)) }
}

/** Asks the Sentinels at these addresses until disposed of. */
export function followSentinels(settings: Config['redis'], addresses: RedisOptions[], log: Log): Disposable {
  const state = followed(settings)
  const sentinels = addresses.map((target) => {
    const client = new Redis({
      ...target,
      protocol: 2,
      ...{
        connectTimeout: settings.timeout,
        commandTimeout: settings.timeout,
        socketTimeout: settings.timeout,
      },
      ...{ maxRetriesPerRequest: 0, retryStrategy: () => askMilliseconds, disableClientInfo: true },
    })
    client.on('error', () => {}) // the others are asked, and readers of the log hear of a lost primary
    return client
  })

  async function look(): Promise<void> {
    const told = await Promise.all(sentinels.map((each) => primaryOf(each, settings).catch(() => undefined)))
    for (const primary of told) if (primary && primary.epoch > (state.newest?.epoch ?? -1)) follow(primary)
  }

  function follow(primary: Primary): void {
    const before = state.newest
    state.newest = primary
    state.past.delete(primary.address)
    if (!before || before.address === primary.address) return
    state.past.add(before.address)
    log.warn({ from: before.address, to: primary.address }, 'Redis has another primary')
    // Not by disconnect(true): that waits for the other side to say goodbye.
    for (const client of state.clients) client.stream?.destroy()
  }

  let asking = false
  async function ask(): Promise<void> {
    if (asking) return
    asking = true
    await look()
    asking = false
  }
  void ask()
  const timer = setInterval(() => void ask(), askMilliseconds).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      for (const each of sentinels) each.disconnect()
    },
  }
}

/**
 * The epoch first: both change in one step, so an address is never older than the epoch it is told with. Of a Sentinel
 * that is about to replace a primary, `SENTINEL MASTER` tells the new epoch and still the old address.
 */
async function primaryOf(sentinel: Redis, settings: Config['redis']): Promise<Primary> {
  const asked = [
    sentinel.call('SENTINEL', 'MASTER', settings.sentinel_name),
    sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', settings.sentinel_name),
  ]
  const [words = [], [host, port] = []] = (await Promise.all(asked)) as string[][]
  return { address: `${host}:${port}`, epoch: Number(words[words.indexOf('config-epoch') + 1]) }
}
