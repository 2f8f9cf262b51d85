import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BindRequest, ExtendedRequest } from 'ldapts'
import type { Identity, OnOperation, Operation } from '../connection.ts'
import { oids } from '../controls.ts'
import { LinkFailure } from '../results.ts'
import type { Target } from '../socket.ts'
import { openSocket, tlsFor, within } from '../socket.ts'
import type { Element } from './ber.ts'
import { headAt, ProtocolFault, parts, text, whole } from './ber.ts'

/** One message at most: a group of half a million members. */
const mostBytes = 64 * 1024 * 1024
/** Bytes read in one go before other work has its turn. */
const turnBytes = 128 * 1024

/** The end of an answer. `controls` are what came with it. */
export type Done = { code: number; diagnostic: string; controls: Element | undefined; bytes: Buffer }
/** Reads what comes before the end: one operation with its controls, whole in `bytes`. Throws ProtocolFault. */
export type Read<M> = (bytes: Buffer, operation: Element, controls: Element | undefined) => M
export type Link<M> = Awaited<ReturnType<typeof openLink<M>>>
type Request<M> = {
  id: number
  silence: NodeJS.Timeout
  each: (message: M) => void
  settle: (outcome: Done | Error) => void
}
/** SearchResultDone, BindResponse, ExtendedResponse (RFC 4511). */
const ends = [0x65, 0x61, 0x78]

/**
 * A connection with a reader of its own, bound as the service: ldapts' Client knows neither intermediate responses nor
 * the controls of entries, and takes three times as long over an entry. One request at a time. Whatever is malformed, late
 * or not asked for ends the connection.
 */
export async function openLink<M>(
  target: Target,
  identity: Identity,
  onOperation: OnOperation,
  read: Read<M>,
) {
  let socket = await openSocket(target)
  let waiting: Request<M> | undefined
  let lastId = 0
  let ended: Error | undefined
  let pending: Buffer[] = []
  let held = 0
  let needed = 2
  let turn = 0

  function end(error: Error) {
    ended ??= error
    socket.destroy()
    waiting?.settle(ended)
    waiting = undefined
  }

  function attach(to: Socket) {
    socket = to
    socket.on('data', (chunk) => {
      try {
        take(chunk)
      } catch (error) {
        end(error as Error)
      }
    })
    socket.on('error', (cause) => end(new LinkFailure('closed', { cause })))
    socket.once('close', () => end(new LinkFailure('closed')))
  }

  function take(chunk: Buffer) {
    waiting?.silence.refresh()
    pending.push(chunk)
    held += chunk.length
    if (held < needed) return
    const bytes = pending.length === 1 ? chunk : Buffer.concat(pending, held)
    let at = 0
    for (;;) {
      const head = headAt(bytes, at, bytes.length)
      if (head && (head.tag !== 0x30 || head.end - at > mostBytes))
        throw new ProtocolFault('no message, or one too large')
      needed = head ? head.end - at : bytes.length - at + 1
      if (!head || head.end > bytes.length) break
      give(bytes, head)
      at = head.end
    }
    pending = at < bytes.length ? [bytes.subarray(at)] : []
    held = bytes.length - at
    yieldAfter(chunk.length)
  }

  /** A long reading lets other work of the process in between. */
  function yieldAfter(bytes: number) {
    turn += bytes
    if (turn < turnBytes) return
    turn = 0
    socket.pause()
    setImmediate(() => socket.resume())
  }

  function give(bytes: Buffer, envelope: Element) {
    const [idPart, operation, controls] = parts(bytes, envelope)
    const id = whole(bytes, idPart)
    if (!waiting || id !== waiting.id) throw new ProtocolFault(`a message that nobody asked for: ${id}`)
    if (!operation) throw new ProtocolFault('a message without an operation')
    if (!ends.includes(operation.tag)) return waiting.each(read(bytes, operation, controls))
    const [code, , diagnostic] = parts(bytes, operation)
    const { settle } = waiting
    waiting = undefined
    settle({ code: whole(bytes, code), diagnostic: text(bytes, diagnostic), controls, bytes })
  }

  const link = {
    url: target.url,
    timeout: target.timeout,
    openedAt: Date.now(),
    get alive() {
      return ended === undefined
    },
    /**
     * Sends what `make` writes for this message id; `each` sees what comes before the end of the answer. Rejects with
     * LinkFailure or ProtocolFault, and then the connection is gone.
     */
    async request(
      operation: Operation,
      make: (messageId: number) => Buffer,
      each: (message: M) => void = () => {},
    ): Promise<Done> {
      if (ended || waiting) throw ended ?? new Error('one request at a time')
      const { promise, resolve, reject } = Promise.withResolvers<Done>()
      // Silence ends it: a long answer may take as long as it keeps coming.
      const silence = setTimeout(() => end(new LinkFailure('timeout')), target.timeout)
      waiting = {
        id: ++lastId,
        silence,
        each,
        settle: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)),
      }
      const measured = onOperation(operation)
      socket.write(make(lastId))
      return promise.finally(() => {
        clearTimeout(silence)
        if (typeof measured === 'function') measured()
      })
    },
    close: () => end(new LinkFailure('closed')),
  }

  async function upgrade(): Promise<void> {
    const answer = await link.request('extended', (messageId) =>
      new ExtendedRequest({ messageId, oid: oids.startTLS }).write(),
    )
    // What came behind the answer in clear is not the server's word.
    if (answer.code !== 0 || held > 0) throw new ProtocolFault(`StartTLS: ${answer.diagnostic}`)
    const plain = socket
    plain.removeAllListeners()
    const secure = connectTls({ socket: plain, ...tlsFor(target) })
    attach(secure)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    secure.once('secureConnect', resolve)
    secure.once('error', reject)
    await promise
  }

  async function open(): Promise<void> {
    if (target.startTLS && !target.url.startsWith('ldaps:')) await upgrade()
    const answer = await link.request('bind', (messageId) =>
      new BindRequest({ messageId, ...identity }).write(),
    )
    if (answer.code !== 0) throw new Error(`LDAP refuses the bind: ${answer.code} ${answer.diagnostic}`)
  }

  attach(socket)
  try {
    await within(target.openTimeout, open())
  } catch (error) {
    link.close()
    throw error
  }
  return link
}
