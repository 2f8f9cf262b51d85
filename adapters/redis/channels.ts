import type { Connection, Log } from './connection.ts'
import type { Keys } from './keys.ts'

export const channelNames = ['mail', 'sms'] as const
export type ChannelName = (typeof channelNames)[number]
/** Milliseconds; null for never. `error` is why it failed last. */
export type Channel = { sent_on: number | null; failed_on: number | null; error: string | null }

/** Of what goes well one in this time is enough: a notification to many is no flood of notes. */
const pauseMilliseconds = 1000

/** How the ways to people did last, on whatever pod: when something went out, and when and why nothing did. */
export function openChannels(connection: Connection, keys: Keys, log: Log) {
  const key = keys.durable('channel')
  const noted = new Map<ChannelName, number>()

  /** Does not hold up whoever sends. */
  function note(name: ChannelName, fields: Partial<Channel>): void {
    const written = Object.entries(fields).flatMap(([field, value]) => [`${name}.${field}`, String(value)])
    connection
      .aside()
      .then((client) => client.hset(key, ...written))
      .catch((err) => log.warn({ err, channel: name }, 'how a message went was not noted'))
  }

  return {
    sent(name: ChannelName): void {
      const now = Date.now()
      if (now - (noted.get(name) ?? 0) < pauseMilliseconds) return
      noted.set(name, now)
      note(name, { sent_on: now })
    },
    failed(name: ChannelName, error: string): void {
      noted.delete(name)
      note(name, { failed_on: Date.now(), error })
    },
    async read(): Promise<Record<ChannelName, Channel>> {
      const found = await connection.client.hgetall(key)
      const of = (name: ChannelName): Channel => ({
        sent_on: Number(found[`${name}.sent_on`]) || null,
        failed_on: Number(found[`${name}.failed_on`]) || null,
        error: found[`${name}.error`] ?? null,
      })
      return { mail: of('mail'), sms: of('sms') }
    },
  }
}
export type Channels = ReturnType<typeof openChannels>
