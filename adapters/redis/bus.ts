import type { Connection, Log } from './connection.ts'
import { refuse, within } from './connection.ts'
import type { Keys } from './keys.ts'

export type Bus = Awaited<ReturnType<typeof openBus>>

const heartbeatMilliseconds = 5000
const firstMilliseconds = 10_000

/**
 * Messages between pods, so that caches drop what another pod changed. Delivery is at most once: whoever keeps something
 * also listens to `onGap`, called when the listening connection is lost and again when it is back, since anything may have
 * been missed between. A connection that died silently is found within seconds by its heartbeat.
 */
export async function openBus(
  connection: Pick<Connection, 'client' | 'listener' | 'servers'>,
  keys: Keys,
  log: Log,
) {
  const handlers = new Map<string, ((message: string) => void)[]>()
  const gaps: (() => void)[] = []
  const everything = keys.durable('bus')
  const listener = connection.listener()
  const listening = Promise.withResolvers<void>()
  let live = false

  const gap = () => {
    for (const handler of gaps) handler()
  }
  listener.on('error', () => {})
  listener.on('close', () => {
    if (live) log.warn('messages from other pods are not heard; caches are dropped')
    live = false
    gap()
  })
  listener.on('ready', async () => {
    await listener.subscribe(everything).then(
      () => {
        live = true
        listening.resolve()
        gap()
      },
      () => listener.disconnect(true),
    )
  })
  listener.on('message', (_channel: string, text: string) => {
    const end = text.indexOf(' ')
    for (const handler of handlers.get(text.slice(0, end)) ?? []) handler(text.slice(end + 1))
  })
  const heartbeat = setInterval(() => {
    if (live) listener.ping().catch(() => listener.disconnect(true))
  }, heartbeatMilliseconds).unref()
  await within(firstMilliseconds, listening.promise).catch((error) => {
    clearInterval(heartbeat)
    listener.disconnect()
    refuse(error)
  })

  return {
    /** `channel` is one word. */
    async publish(channel: string, message: string): Promise<void> {
      await connection.client.publish(everything, `${channel} ${message}`)
    },
    subscribe(channel: string, handler: (message: string) => void): void {
      handlers.set(channel, [...(handlers.get(channel) ?? []), handler])
    },
    /** How many pods listen, this one among them. */
    async listeners(): Promise<number> {
      const counts = await Promise.all(
        connection.servers().map((server) => server.pubsub('NUMSUB', everything)),
      )
      return counts.reduce<number>((sum, [, count]) => sum + Number(count), 0)
    },
    onGap(handler: () => void): void {
      gaps.push(handler)
    },
    /** False while messages may be missed: keep nothing longer than you would without them. */
    live: () => live,
    [Symbol.dispose](): void {
      clearInterval(heartbeat)
      gaps.length = 0
      live = false
      listener.disconnect()
    },
  }
}
