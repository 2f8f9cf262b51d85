import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '#src/settings.ts'
import type { Connection, Identity, Operation } from './connection.ts'
import { openConnection } from './connection.ts'
import { codeOf, LinkFailure } from './results.ts'

/** A refused connection costs next to nothing, so the pause stays short: the service is back when the server is. */
const pauses = { shortest: 10, longest: 60, credentials: 5_000 }
/** How long a URL that failed is passed over while another one answers. */
const avoidMilliseconds = 30_000
const lifetimeMilliseconds = 5 * 60_000

export type Opener = ReturnType<typeof createOpener>
/** Which of several servers all pods use, so that one takes all writes. */
export type Agreement = {
  /** Its URL; undefined while none was agreed on. */
  readonly word: string | undefined
  /** Says which one does here. */
  want(url: string): void
  onChange(handler: (url: string) => void): void
}

/**
 * Opens connections, one at a time: the URL agreed on, then the others in order, those that failed lately last; after a
 * failure it pauses, and whoever asks meanwhile is refused at once instead of waiting.
 */
export function createOpener(
  ldap: Config['ldap'],
  log: Logger,
  {
    onOperation,
    agreement,
  }: { onOperation: (operation: Operation) => void; agreement?: Agreement | undefined },
) {
  const identity = { dn: ldap.bindDN, password: ldap.bindPassword }
  const tls = {
    ca: ldap.tls.ca ? readFileSync(ldap.tls.ca) : undefined,
    rejectUnauthorized: ldap.tls.verify,
  }
  const failedAt = new Map<string, number>()
  let turn: Promise<unknown> = Promise.resolve()
  let pause = pauses.shortest
  let pausedUntil = 0
  let lastError: unknown
  /** Where the newest service connection leads: all others follow, so that one server takes all writes. */
  let current: string | undefined
  let onMove = () => {}

  agreement?.onChange((url) => {
    if (!ldap.url.includes(url) || url === current) return
    log.info({ url }, 'LDAP: another server was agreed on')
    failedAt.delete(url)
    current = url
    onMove()
  })

  async function openOne(as: Identity | undefined): Promise<Connection> {
    if (Date.now() < pausedUntil) throw lastError
    let refused = false
    for (const url of as ? inOrder() : [current ?? (ldap.url[0] as string)]) {
      try {
        const connection = await openConnection(targetOf(url), as, onOperation)
        if (as) answered(url)
        return connection
      } catch (error) {
        refused = codeOf(error) === 49
        failed(url, error)
      }
    }
    const wait = refused ? pauses.credentials : pause
    pausedUntil = Date.now() + wait * (0.75 + Math.random() / 2)
    pause = Math.min(pause * 2, pauses.longest)
    throw lastError
  }

  function targetOf(url: string) {
    // Half, so that a dead server and the next one both fit into one call's time.
    return { url, tls, startTLS: ldap.startTLS, timeout: ldap.timeout, openTimeout: ldap.timeout / 2 }
  }

  function inOrder(): string[] {
    const avoided = (url: string) => Date.now() - (failedAt.get(url) ?? 0) < avoidMilliseconds
    const urls = ldap.url.toSorted((a, b) => Number(b === agreement?.word) - Number(a === agreement?.word))
    return [...urls.filter((url) => !avoided(url)), ...urls.filter(avoided)]
  }

  function answered(url: string) {
    if (lastError !== undefined || (current !== undefined && current !== url))
      log.info({ url }, 'LDAP answers')
    lastError = undefined
    current = url
    pause = pauses.shortest
    failedAt.delete(url)
    agreement?.want(url)
  }

  function failed(url: string, error: unknown) {
    const known = failedAt.has(url)
    failedAt.set(url, Date.now())
    lastError = error instanceof LinkFailure ? error : new LinkFailure('unreachable', { cause: error })
    if (codeOf(error) === 49)
      log.fatal({ url, bindDN: ldap.bindDN }, 'LDAP refuses the password of the service')
    else if (!known) log.error({ url, err: error }, 'LDAP does not answer')
  }

  return {
    /** `nobody` is for checking passwords, each of which binds anew: where the service's own connections lead. */
    open(as: 'service' | 'nobody'): Promise<Connection> {
      if (Date.now() < pausedUntil) return Promise.reject(lastError)
      const mine = turn.then(() => openOne(as === 'service' ? identity : undefined))
      turn = mine.catch(() => {})
      return mine
    },
    /** Where a service connection of another kind is to lead. Throws the last error in a pause. */
    service() {
      if (Date.now() < pausedUntil) throw lastError
      return { target: targetOf(current ?? (ldap.url[0] as string)), identity }
    },
    /** Whether the newest service connection leads there. */
    leadsTo: (url: string) => url === current,
    /** To be replaced: five minutes old, or leading to another server than the newest one does. */
    isStale: (connection: Pick<Connection, 'url' | 'openedAt'>) =>
      connection.url !== current || Date.now() - connection.openedAt > lifetimeMilliseconds,
    /** Called when all connections are to lead elsewhere. */
    onMove(handler: () => void) {
      onMove = handler
    },
    /** Milliseconds until opening may be tried again. */
    get pause() {
      return Math.max(1, pausedUntil - Date.now())
    },
  }
}
