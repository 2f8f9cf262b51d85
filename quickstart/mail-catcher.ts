import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { keepMessage } from './caught.ts'

export type MailCatcher = { host: string; port: number; dir: string; [Symbol.asyncDispose](): Promise<void> }

/** An SMTP server on the loopback interface that delivers nothing: every message becomes a file `*.eml` in `dir`. */
export async function startMailCatcher(dir: string): Promise<MailCatcher> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const server = new SMTPServer({
    name: 'localhost',
    banner: 'mail catcher of the quick start',
    // It has no certificate anybody trusts, and the loopback interface needs none.
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anybody' }),
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, done) {
      buffer(stream)
        .then((message) => keepMessage(dir, 'eml', message))
        .then(() => done(), done)
    },
  })
  server.on('error', () => {}) // a client that hangs up
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    ...{ host: '127.0.0.1', port, dir },
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  }
}
