import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/**
 * A real SMTP server that takes its time and can refuse: `refuse` gives an SMTP status to a recipient, `pause` the
 * milliseconds that each message takes; while `held` says so of its sender a message is neither taken nor answered, and
 * while `silent` does, taken but never answered. All may change while it runs.
 */
export async function startSmtp() {
  const behaviour = {
    pause: 0,
    refuse: (_to: string): number | undefined => undefined,
    held: (_from: string): Promise<void> | undefined => undefined,
    silent: (_from: string) => false,
  }
  /** The senders of connections and of messages under way. */
  const connected = new Map<string, string>()
  const underWay = new Set<{ from: string }>()
  const taken: { from: string; to: string; raw: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      const responseCode = behaviour.refuse(address)
      done(responseCode === undefined ? null : Object.assign(new Error('no'), { responseCode }))
    },
    onMailFrom({ address }, { id }, done) {
      connected.set(id, address)
      done()
    },
    onClose: ({ id }) => void connected.delete(id),
    async onData(stream, { envelope }, done) {
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const message = { from }
      underWay.add(message)
      const raw = await buffer(stream).then(String, () => undefined)
      await behaviour.held(from)
      await setTimeout(behaviour.pause)
      underWay.delete(message)
      if (raw === undefined) return // a client that was killed in the middle
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
    /** Whether anything from this sender may still be taken. */
    hears: (from: string) =>
      [...connected.values()].includes(from) || [...underWay].some((each) => each.from === from),
    countTo: (address: string) => taken.filter(({ to }) => to === address).length,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  }
}
