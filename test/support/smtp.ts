import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/**
 * A real SMTP server that takes its time and can refuse: `refuse` gives an SMTP status to a recipient, `pause` the
 * milliseconds that each message takes, `held` what it waits for, and while `silent` says so of its sender a message is
 * taken but never answered. All may change while it runs.
 */
export async function startSmtp() {
  const behaviour = {
    pause: 0,
    held: (): Promise<void> | undefined => undefined,
    refuse: (_to: string): number | undefined => undefined,
    silent: (_from: string) => false,
  }
  const taken: { from: string; to: string; raw: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      const responseCode = behaviour.refuse(address)
      done(responseCode === undefined ? null : Object.assign(new Error('no'), { responseCode }))
    },
    async onData(stream, { envelope }, done) {
      const raw = await buffer(stream).then(String, () => undefined)
      if (raw === undefined) return // a client that was killed in the middle
      await behaviour.held()
      await setTimeout(behaviour.pause)
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const answered = !behaviour.silent(from)
      for (const { address } of envelope.rcptTo) taken.push({ from, to: address, raw })
      if (answered) done()
    },
  })
  server.on('error', () => {}) // a client that hangs up
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    behaviour,
    /** Everything taken so far, in order, by the sender and recipient of the envelope. */
    taken,
    settings: { app_smtp__host: '127.0.0.1', app_smtp__port: String(port) },
    /** The last mail to an address. */
    async mailTo(address: string) {
      const raw = taken.findLast(({ to }) => to === address)?.raw
      if (raw === undefined) throw new Error(`no mail to ${address}`)
      return { ...(await PostalMime.parse(raw)), raw }
    },
    countTo: (address: string) => taken.filter(({ to }) => to === address).length,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  }
}
