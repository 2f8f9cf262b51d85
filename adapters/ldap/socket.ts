import type { Socket } from 'node:net'
import { connect, isIP } from 'node:net'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import { LinkFailure } from './results.ts'

export type Target = {
  url: string
  startTLS: boolean
  tls: { ca?: Buffer | undefined; rejectUnauthorized: boolean }
  /** Longest one operation may take, milliseconds. */
  timeout: number
  /** Longest each step of the opening (TCP and TLS, StartTLS, bind) may take, milliseconds. */
  openTimeout: number
}

/** A connected socket: TLS is up and its certificate verified where the URL says ldaps. */
export async function openSocket(target: Target): Promise<Socket> {
  const { hostname, port, protocol } = new URL(target.url)
  const secure = protocol === 'ldaps:'
  const keep = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 }
  const address =
    protocol === 'ldapi:'
      ? { path: decodeURIComponent(hostname) }
      : { host: hostOf(hostname), port: Number(port) || (secure ? 636 : 389), ...keep }
  const socket = secure ? connectTls({ ...address, ...tlsFor(target) }) : connect(address)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once('error', reject)
  socket.once(secure ? 'secureConnect' : 'connect', resolve)
  try {
    await within(target.openTimeout, promise)
  } catch (cause) {
    socket.destroy()
    throw cause instanceof LinkFailure ? cause : new LinkFailure('unreachable', { cause })
  }
  socket.removeListener('error', reject)
  return socket
}

/** What TLS needs, at once (ldaps) or after StartTLS. */
export function tlsFor({ url, tls }: Target): TlsOptions {
  const host = hostOf(new URL(url).hostname)
  // SNI carries names only (RFC 6066 section 3); the certificate is checked against `host` either way.
  return { ...tls, host, ...(isIP(host) ? {} : { servername: host }) }
}

/** The promise's value, or a `timeout` failure. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: expiry, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new LinkFailure('timeout')), milliseconds)
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}

function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '') || 'localhost'
}

/** slapd gives up before the client does, so that one slow search does not cost its neighbours the connection. */
export function serverSeconds(timeout: number): number {
  return Math.max(1, Math.ceil(timeout / 1000) - 1)
}
