import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'

export type Reply = { status: number; head: string; body: string }
export type Connection = { send(request: string): Promise<Reply>; close(): void }

/**
 * One keep-alive connection that sends prepared requests one after the other. Bare, so that the load generator costs
 * a fraction of what it measures: `undici` and `node:http` clients cost more than discovery itself.
 */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return { send: sender(socket), close: () => socket.destroy() }
}

function sender(socket: Socket): Connection['send'] {
  let heard = ''
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined
  const fail = (error: Error) => waiting?.reject(error)
  socket.setEncoding('latin1')
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection')))
  socket.on('data', (chunk: string) => {
    heard = heard === '' ? chunk : heard + chunk
    const reply = replyIn(heard)
    if (!reply) return
    heard = ''
    const { resolve } = waiting as NonNullable<typeof waiting>
    waiting = undefined
    resolve(reply)
  })
  return (request) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('The server closed the connection before'))
      waiting = { resolve, reject }
      socket.write(request, 'latin1')
    })
}

/** The reply, once it is there as a whole. */
function replyIn(heard: string): Reply | undefined {
  const end = heard.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = heard.slice(0, end + 2)
  const status = Number(head.slice(9, 12))
  const rest = heard.slice(end + 4)
  const length = /\r\ncontent-length: (\d+)\r/i.exec(head)?.[1]
  if (length !== undefined) return rest.length < Number(length) ? undefined : { status, head, body: rest }
  if (!/\r\ntransfer-encoding: chunked\r/i.test(head)) return { status, head, body: rest }
  return rest.endsWith('0\r\n\r\n') ? { status, head, body: unchunked(rest) } : undefined
}

function unchunked(text: string): string {
  let body = ''
  for (let at = 0; ; ) {
    const line = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, line), 16)
    if (!size) return body
    body += text.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
  }
}

/** A request as it goes over the wire; prepared once where it repeats. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}${length}\r\n${body}`
}

export function json(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): string {
  return request(method, path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body))
}

/** The reply, when it has the status expected; an Error that shows it otherwise. */
export function expectStatus(reply: Reply, status: number, what: string): Reply {
  if (reply.status !== status)
    throw new Error(`${what}: expected ${status}\n${reply.head}\n${reply.body.slice(0, 500)}`)
  return reply
}

/** The `name=value` pairs that a reply sets as cookies; removed ones are left out. */
export function cookiesOf({ head }: Reply): Map<string, string> {
  const pairs = [...head.matchAll(/\r\nset-cookie: ([^=]+)=([^;\r]*)/gi)]
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]))
}

/** Where a reply redirects to. */
export function locationOf({ head }: Reply): string {
  return /\r\nlocation: ([^\r]+)/i.exec(head)?.[1] ?? ''
}
