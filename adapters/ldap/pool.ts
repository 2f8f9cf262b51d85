import type { Control, Entry, SearchOptions } from 'ldapts'
import type { Logger } from 'pino'
import type { Config } from '#src/settings.ts'
import type { Connection, Operation } from './connection.ts'
import { createExclusiveLane } from './exclusive.ts'
import type { ListOptions } from './listing.ts'
import { listing } from './listing.ts'
import type { Agreement } from './opener.ts'
import { createOpener } from './opener.ts'
import type { Occasion } from './results.ts'
import { codeOf, LinkFailure, refusalFor } from './results.ts'
import { createSharedLane } from './shared.ts'
import { createTurns } from './turns.ts'
import { keepMessagesUnprinted } from './unprinted.ts'
import type { Read } from './wire/link.ts'
import { openLink } from './wire/link.ts'
import type { Pages } from './wire/pages.ts'
import { readEntry } from './wire/pages.ts'

/** Queue of long listings; pages are small and quick, so this is generous. */
const waitingListings = 64

export type Pool = Awaited<ReturnType<typeof openPool>>

/**
 * Three lanes to the directory, so that none holds up another: shared connections for reads and writes, exclusive
 * ones for long listings, exclusive unbound ones for password checks, few at a time because slapd's threads hash.
 * Throws refusals only: whatever LDAP answered is behind `codeOf`.
 */
export async function openPool(
  ldap: Config['ldap'],
  log: Logger,
  onOperation: (operation: Operation) => void,
  agreement?: Agreement,
) {
  keepMessagesUnprinted()
  const opener = createOpener(ldap, log, { onOperation, agreement })
  const shared = createSharedLane(opener, ldap.pool.shared)
  const listings = createExclusiveLane(opener, openPages)
  const checks = createExclusiveLane(opener, () => opener.open('nobody'))
  const wait = ldap.timeout
  const listingTurns = createTurns({ size: ldap.pool.listings, waiting: waitingListings, wait })
  const hashingTurns = createTurns({ size: ldap.pool.binds, waiting: ldap.pool.waiting, wait })

  async function link<M>(read: Read<M>) {
    const { target, identity } = opener.service()
    return openLink(target, identity, onOperation, read)
  }
  /** Where the newest service connection leads, or, should that server be gone, where a new one finds its way. */
  async function openPages(): Promise<Pages> {
    return link(readEntry).catch(async () => {
      const scout = await opener.open('service')
      scout.close()
      return link(readEntry)
    })
  }

  async function send<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    return use(await shared.take(ldap.timeout))
  }

  async function check(dn: string, password: string): Promise<boolean> {
    using lease = await checks.lease()
    const accepted = await lease.connection.bind(dn, password).then(
      () => true,
      (error) => {
        // 49, and the other ways servers say no to a user's bind.
        if ([49, 53, 48, 32, 34].includes(codeOf(error) ?? -1)) return false
        throw error
      },
    )
    lease.done()
    return accepted
  }

  const pool = {
    /** Sent once more when the connection closed under it, never after a timeout. */
    async read<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
      return retried(() => send(use)).catch((error) => {
        throw refusalFor(error, 'read')
      })
    },
    /** Sent once: after a lost connection the outcome is unknown, and the caller is told so. */
    async write<T>(occasion: Occasion, use: (connection: Connection) => Promise<T>): Promise<T> {
      return send(use).catch((error) => {
        throw refusalFor(error, occasion)
      })
    },
    /** Entries below `base`; none when there is no such base. */
    async search(base: string, options: SearchOptions): Promise<Entry[]> {
      return pool
        .read((connection) => connection.search(base, options))
        .catch((error) => {
          if (codeOf(error) === 32) return []
          throw error
        })
    },
    /** Entries in pages: see listing.ts. */
    list: (...search: [base: string, options: ListOptions, controls?: Control[]]): AsyncGenerator<Entry[]> =>
      listing({ lane: listings, turns: listingTurns }, ...search),
    /** True when the directory accepts the password. Waits for a turn; TooManyRequests when too many wait. */
    async verify(dn: string, password: string): Promise<boolean> {
      using _turn = await hashingTurns.take()
      return await retried(() => check(dn, password)).catch((error) => {
        throw refusalFor(error, 'read')
      })
    },
    figures: () => ({
      connections: shared.size,
      checks: hashingTurns.figures(),
      listings: listingTurns.figures(),
    }),
    /** A connection with a reader of its own, to where all others lead. */
    openLink: link,
    leadsTo: opener.leadsTo,
    /** A turn for an operation that makes slapd hash a password: it counts as a password check. */
    hashing: () => hashingTurns.take(),
    async [Symbol.asyncDispose]() {
      for (const lane of [shared, listings, checks]) lane.close()
    },
  }
  return pool
}

async function retried<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof LinkFailure && error.kind === 'closed') return send()
    throw error
  }
}
