import type { connect } from 'node:net'
import type { connect as connectTls } from 'node:tls'
import type { Attribute, Change, Control, Entry, SearchOptions } from 'ldapts'
import { Client } from 'ldapts'
import { LinkFailure, linkFailure } from './results.ts'
import type { Target } from './socket.ts'
import { openSocket, serverSeconds, tlsFor, within } from './socket.ts'

export type Operation = 'bind' | 'search' | 'compare' | 'add' | 'modify' | 'delete' | 'extended'
/** Told of each operation as it is sent; an answer that is a function is called when that has ended. */
export type OnOperation = (operation: Operation) => unknown
export type Identity = { dn: string; password: string }
export type Connection = Awaited<ReturnType<typeof openConnection>>

/**
 * One socket to the server, open, secured and (with an identity) bound before anybody else sees it. It never
 * reconnects: ldapts would do so by itself, unbound, and a search would then find nothing instead of failing.
 * Every operation of the adapter passes `operate`, which counts it.
 */
export async function openConnection(
  target: Target,
  identity: Identity | undefined,
  onOperation: OnOperation,
) {
  const { url, timeout, openTimeout } = target
  const socket = await openSocket(target)
  let given = false
  const giveSocket = () => {
    if (given) throw new LinkFailure('closed')
    given = true
    return socket
  }
  const client = new Client({
    // It knows no ldapi, and the socket is there already.
    url: url.startsWith('ldapi:') ? 'ldap://localhost' : url,
    timeout,
    createConnection: giveSocket as unknown as typeof connect,
    // ldaps: the socket is there already. StartTLS upgrades by Node's own tls.connect.
    ...(url.startsWith('ldaps:')
      ? { createSecureConnection: giveSocket as unknown as typeof connectTls }
      : {}),
  })
  const limits = { timeLimit: serverSeconds(timeout) }
  const alive = () => !socket.destroyed && (client.isConnected || !given)
  let load = 0

  async function operate<T>(operation: Operation | undefined, send: () => Promise<T>): Promise<T> {
    // Liveness and sending in the same tick.
    if (!alive()) throw new LinkFailure('closed')
    const ended = operation && onOperation(operation)
    load++
    try {
      return await send()
    } catch (error) {
      throw linkFailure(error)
    } finally {
      load--
      if (typeof ended === 'function') ended()
    }
  }

  const connection = {
    url,
    openedAt: Date.now(),
    get alive() {
      return alive()
    },
    /** Operations under way. */
    get load() {
      return load
    },
    /** Tells at once when the socket is gone; ldapts has no event for it. */
    onClose: (handler: () => void) => socket.once('close', handler),
    close: () => socket.destroy(),

    bind: (dn: string, password: string) => operate('bind', () => client.bind(dn, password)),
    async search(base: string, options: SearchOptions, controls?: Control[]): Promise<Entry[]> {
      const found = await operate('search', () => client.search(base, { ...limits, ...options }, controls))
      return found.searchEntries
    },
    compare: (dn: string, attribute: string, value: string) =>
      operate('compare', () => client.compare(dn, attribute, value)),
    add: (dn: string, attributes: Attribute[], controls?: Control[]) =>
      operate('add', () => client.add(dn, attributes, controls)),
    modify: (dn: string, changes: Change[], controls?: Control[]) =>
      operate('modify', () => client.modify(dn, changes, controls)),
    del: (dn: string) => operate('delete', () => client.del(dn)),
    exop: (oid: string, value: Buffer) => operate('extended', () => client.exop(oid, value)),
  }

  try {
    if (target.startTLS && !url.startsWith('ldaps:'))
      await within(
        openTimeout,
        operate('extended', () => client.startTLS(tlsFor(target))),
      )
    if (identity) await within(openTimeout, connection.bind(identity.dn, identity.password))
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}
