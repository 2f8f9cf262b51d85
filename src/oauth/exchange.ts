import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'

/** What a request to the provider knows beside what the library knows of it. */
export type Exchange = {
  log: FastifyBaseLogger
  /** Client address, for the audit log. */
  address: string
  /** The caller is the consent page (or a program in its place): what is asked for is thereby allowed. */
  approved?: boolean
  /** Looks once more whether what was given may be; awaited before the answer leaves. */
  confirmed?: Promise<void>
  /** Called when what a request names by a code that can be guessed is known to be there. */
  recognised?: () => Promise<void>
  /** Answers in place of the library, with a page. */
  answer?: (reply: FastifyReply) => Promise<FastifyReply>
  /** Why the library refused, where its answer no longer says so. */
  refused?: unknown
  /** What the library could not handle. */
  failure?: unknown
}

const exchanges = new WeakMap<IncomingMessage, Exchange>()

export function beginExchange(raw: IncomingMessage, exchange: Exchange): Exchange {
  exchanges.set(raw, exchange)
  return exchange
}

/** The exchange of a request that mount.ts or authorize.ts handed to the library. */
export function exchangeOf(raw: IncomingMessage): Exchange {
  const exchange = exchanges.get(raw)
  if (!exchange) throw new Error('a request reached the provider past the mount')
  return exchange
}
