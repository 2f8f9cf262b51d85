import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { isRefusal } from '#src/errors.ts'
import type { Caller } from '#src/http/caller.ts'
import { authenticateSession } from '#src/http/caller.ts'
import type { Account } from './views.ts'

type Needs = Pick<Deps, 'config' | 'sessions' | 'accounts'>

/** A person as pages show them. */
export function accountOf(entry: { uid: string; givenName: string; sn: string; mail?: string }): Account {
  const { uid, givenName, sn, mail } = entry
  return { uid, name: [givenName, sn].filter(Boolean).join(' ') || uid, ...(mail ? { mail } : {}) }
}

/** Who is signed in, as pages show them; `undefined` for nobody. */
export async function signedIn(request: FastifyRequest, deps: Needs): Promise<Account | undefined> {
  const caller = await callerIn(request, deps)
  const account = caller && (await deps.accounts.find(caller.uid))
  return account && accountOf(account.entry)
}

/** Whose session the request is made in, `undefined` for nobody's. */
export async function callerIn(request: FastifyRequest, deps: Needs): Promise<Caller | undefined> {
  try {
    return await authenticateSession(request, deps)
  } catch (error) {
    if (isRefusal(error, 'Unauthorized')) return undefined
    throw error
  }
}
