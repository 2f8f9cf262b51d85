import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

export type TextMessage = { to: string; body: string }

/**
 * SMS through Twilio's API, whose package is loaded at the first message only (it is large). `send` throws
 * UpstreamFailure when Twilio is away, too slow, refuses, or no account is configured.
 */
export function openSms(config: Pick<Config, 'sms'>, log: Logger) {
  async function opened() {
    const { accountSid, authToken, url, timeout } = config.sms
    const { default: twilio } = await import('twilio')
    const client = twilio(accountSid, authToken, { timeout, autoRetry: false })
    client.api.baseUrl = url
    return client
  }

  return {
    async send({ to, body }: TextMessage): Promise<void> {
      const { accountSid, from } = config.sms
      if (!accountSid) throw new Refusal('UpstreamFailure', 'SMS is not configured.')
      try {
        const client = await opened()
        await client.messages.create({ to, from, body })
      } catch (cause) {
        log.warn({ err: cause }, 'SMS was not handed over')
        throw new Refusal('UpstreamFailure', 'The SMS could not be sent.', { cause })
      }
    },
    /** Asks for our own account, which proves address and token, and sends nothing. Throws as `send` does. */
    async greet(): Promise<void> {
      const client = await opened()
      await client.api.v2010
        .accounts(config.sms.accountSid)
        .fetch()
        .catch((cause) => {
          throw new Refusal('UpstreamFailure', 'Twilio does not take us.', { cause })
        })
    },
    /** What Twilio or the network said to a failed `send`, without the token. */
    reason(error: unknown): string {
      const { message = '' } = ((error as Error).cause ?? {}) as { message?: string }
      const { authToken } = config.sms
      return (authToken ? message.replaceAll(authToken, '********') : message).slice(0, 500)
    },
    /** True when Twilio refused this very message: its 400, where others speak of the account or the moment. */
    isFinal: (error: unknown): boolean =>
      ((error as Error).cause as { status?: number } | undefined)?.status === 400,
  }
}
export type Sms = ReturnType<typeof openSms>
