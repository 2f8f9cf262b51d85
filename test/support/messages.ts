import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { startMailCatcher } from '#quickstart/mail-catcher.ts'
import { startSmsCatcher } from '#quickstart/sms-catcher.ts'

export type Mail = { to: string; subject: string; text: string; html: string; raw: string }
export type Sms = { to: string; body: string }
export type Messages = Awaited<ReturnType<typeof startMessages>>

/** A real SMTP server and Twilio's API on loopback; `settings` point a service at them. */
export async function startMessages() {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-messages-'))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const mail = opened.use(await startMailCatcher(join(dir, 'mail')))
  const sms = opened.use(await startSmsCatcher(join(dir, 'sms')))
  const closing = opened.move()

  return {
    settings: {
      app_smtp__host: mail.host,
      app_smtp__port: String(mail.port),
      app_sms__accountSid: 'AC00000000000000000000000000000000',
      app_sms__authToken: 'token of the tests',
      app_sms__from: '+15550000000',
      app_sms__url: sms.url,
    },
    ...messagesIn({ mail: mail.dir, sms: sms.dir }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** What the catchers kept in these folders. */
export function messagesIn(folders: { mail: string; sms: string }) {
  return {
    /** Mails to an address, oldest first. */
    async mailsTo(address: string): Promise<Mail[]> {
      const mails = await Promise.all((await caught(folders.mail)).map(parsed))
      return mails.filter(({ to }) => to === address)
    },
    /** The mail to an address that comes as the `nth`: mails leave after the answers that cause them. */
    async mailTo(address: string, nth = 1): Promise<Mail> {
      for (const until = Date.now() + 60_000; Date.now() < until; await setTimeout(20)) {
        const found = (await this.mailsTo(address))[nth - 1]
        if (found) return found
      }
      throw new Error(`no mail number ${nth} to ${address}`)
    },
    /** SMS to a number, oldest first. */
    async smsTo(number: string): Promise<Sms[]> {
      const all = (await caught(folders.sms)).map((text) => JSON.parse(text) as Sms)
      return all.filter(({ to }) => to === number)
    },
  }
}

async function caught(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

async function parsed(raw: string): Promise<Mail> {
  const { to, subject = '', text = '', html = '' } = await PostalMime.parse(raw)
  return { to: to?.[0]?.address ?? '', subject, text, html, raw }
}

/** The first address of ours in a message. */
export function linkIn(text: string): string {
  const link = /https?:\/\/[^\s"<>]+/.exec(text)?.[0]
  if (!link) throw new Error(`no link in: ${text}`)
  return link
}
