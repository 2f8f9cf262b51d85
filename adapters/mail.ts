import type { Transporter } from 'nodemailer'
import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

/**
 * A mail to one person, rendered: both bodies say the same. With an `id` it keeps its Message-ID when it is sent again,
 * so that a mailbox can tell the second of two.
 */
export type Message = { to: string; subject: string; text: string; html: string; id?: string }

/**
 * Mail by SMTP through nodemailer. The transport follows `config.smtp` as it changes and is made at first need.
 * `send` throws UpstreamFailure when the server is away, too slow, refuses, or none is configured.
 */
export function openMail(config: Pick<Config, 'smtp'>, log: Logger) {
  let transport: { of: string; transporter: Transporter } | undefined

  async function transporter(): Promise<Transporter> {
    const of = JSON.stringify(config.smtp)
    if (transport?.of === of) return transport.transporter
    const { host, port, secure, verify, user, pass, timeout } = config.smtp
    const { createTransport } = await import('nodemailer')
    const made = createTransport({
      host,
      port,
      secure,
      tls: { rejectUnauthorized: verify },
      ...(user ? { auth: { user, pass } } : {}),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    transport = { of, transporter: made }
    return made
  }

  return {
    async send({ to, subject, text, html, id }: Message): Promise<void> {
      const { host, from } = config.smtp
      if (!host) throw new Refusal('UpstreamFailure', 'Mail is not configured.')
      try {
        // An object, so that no character of the address is read as a second recipient.
        await (await transporter()).sendMail({
          ...{ from, to: { name: '', address: to }, subject, text, html },
          ...(id ? { messageId: `<${id.replace(/[^\w.-]/g, '_')}@${domainOf(from)}>` } : {}),
          headers: { 'Auto-Submitted': 'auto-generated' }, // RFC 3834: no holiday notices back
        })
      } catch (cause) {
        log.warn({ err: cause }, 'mail was not handed over')
        throw new Refusal('UpstreamFailure', 'The mail could not be sent.', { cause })
      }
    },
    /** Greets the server, with TLS and sign-in as for a mail, and sends none. Throws as `send` does. */
    async greet(): Promise<void> {
      await (await transporter()).verify().catch((cause) => {
        throw new Refusal('UpstreamFailure', 'The mail server does not take us.', { cause })
      })
    },
    /** What the server or the network said to a failed `send`, without what we signed in with. */
    reason(error: unknown): string {
      const { response, message } = ((error as Error).cause ?? {}) as { response?: string; message?: string }
      const { user, pass } = config.smtp
      const login = [pass, `\0${user}\0${pass}`]
      return masked(
        response ?? message ?? '',
        pass ? [...login, ...login.map((text) => Buffer.from(text).toString('base64'))] : [],
      )
    },
    /** True when the server refused this very mail for good (RFC 5321 section 4.2.1). */
    isFinal(error: unknown): boolean {
      const { code, responseCode } = ((error as Error).cause ?? {}) as {
        code?: string
        responseCode?: number
      }
      return (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 500) >= 500
    },
  }
}

/** One line, with `secrets` taken out. */
function masked(said: string, secrets: string[]): string {
  const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, '********'), said)
  return hidden.replace(/\s+/g, ' ').slice(0, 500)
}

function domainOf(sender: string): string {
  return /@([a-z0-9.-]+)>?\s*$/i.exec(sender)?.[1] ?? 'localhost'
}
export type Mail = ReturnType<typeof openMail>
