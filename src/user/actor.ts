import type { FastifyRequest } from 'fastify'
import { Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { Caller } from '#src/http/caller.ts'
import { callerOf } from '#src/http/caller.ts'

/** Who does something, from where, for decisions and for the audit log. */
export type Actor = ReturnType<typeof actorFor>

/** The actor of a request inside the protected scope. */
export function actorOf(request: FastifyRequest): Actor {
  return actorFor(callerOf(request), clientAddress(request))
}

export function actorFor(caller: Caller, address: string) {
  const { uid, impersonator, apiToken } = caller
  return {
    caller,
    /** The actor's part of an audit event: an impersonated session acts in the admin's name, a token in its owner's. */
    event: { actor: impersonator ?? uid, address, ...(apiToken ? { api_token: apiToken.id } : {}) },
    /** Throws InsufficientPermission in an impersonated session and to a personal access token (contract sections 4, 12). */
    requirePerson(): void {
      if (impersonator)
        throw new Refusal('InsufficientPermission', 'An impersonated session may not change this.')
      if (apiToken)
        throw new Refusal('InsufficientPermission', 'A personal access token may not change this.')
    },
  }
}
