import type { ChannelName, Channels } from '#adapters/redis/channels.ts'

type Way = {
  send(message: never): Promise<void>
  isFinal(error: unknown): boolean
  reason(error: unknown): string
}

/**
 * The same way to people, with a note of how each message went (`GET /api/status`). That the other side refused this very
 * message for good is no failure of the way: it answered.
 */
export function noted<W extends Way>(
  name: ChannelName,
  way: W,
  channels: Pick<Channels, 'sent' | 'failed'>,
): W {
  return {
    ...way,
    async send(message: never) {
      try {
        await way.send(message)
      } catch (error) {
        const isTried = error instanceof Error && error.cause !== undefined
        if (isTried && !way.isFinal(error)) channels.failed(name, way.reason(error))
        throw error
      }
      channels.sent(name)
    },
  }
}
