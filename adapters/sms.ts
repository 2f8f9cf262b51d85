import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

export type TextMessage = { to: string; body: string }

/**
 * SMS through Twilio's API, whose package is loaded at the first message only (it is large). `send` throws
 * UpstreamFailure when Twilio is away, too slow, refuses, or no account is configured.
 */
export function openSms(config: Pick<Config, 'sms'>, log: Logger) {
  return {
    async send({ to, body }: TextMessage): Promise<void> {
      const { accountSid, authToken, from, url, timeout } = config.sms
      if (!accountSid) throw new Refusal('UpstreamFailure', 'SMS is not configured.')
      try {
        const { default: twilio } = await import('twilio')
        const client = twilio(accountSid, authToken, { timeout, autoRetry: false })
        client.api.baseUrl = url
        await client.messages.create({ to, from, body })
      } catch (cause) {
        log.warn({ err: cause }, 'SMS was not handed over')
        throw new Refusal('UpstreamFailure', 'The SMS could not be sent.', { cause })
      }
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
