/**
 * The applications somebody uses: what they allowed (remembered until withdrawn), and what tokens hang on (a grant for
 * each session and client). Both end together, in this order: the consent first, then the grants, so that an
 * authorization under way that remembered the consent either finds it gone or is found (oauth/grants.ts).
 */
import type { Static } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import type { Grant } from './schemas.ts'

type Held = { scopes: Set<string>; granted_on: number; last_used_on?: number }

/** By name. An application that is no longer registered is left out: nothing of it is good for anything. */
export async function grantsOf({ store }: Pick<Deps, 'store'>, uid: string): Promise<Static<typeof Grant>[]> {
  const [consents, grants] = await Promise.all([store.consents.all(uid), store.provider.grants(uid)])
  const held = new Map<string, Held>()
  const at = (client_id: string, scopes: string[], since: number) => {
    const known = held.get(client_id) ?? { scopes: new Set(), granted_on: since }
    for (const scope of scopes) known.scopes.add(scope)
    known.granted_on = Math.min(known.granted_on, since)
    held.set(client_id, known)
    return known
  }
  for (const { client_id, scope, given_on } of consents) at(client_id, [scope], given_on)
  for (const { client_id, scopes, created_on } of grants) {
    const known = at(client_id, scopes, created_on)
    known.last_used_on = Math.max(known.last_used_on ?? 0, created_on)
  }
  const shown = await Promise.all(
    [...held].map(async ([client_id, { scopes, ...times }]) => {
      const client = await store.resources.findClient(client_id)
      const { name, logo_uri } = client ?? {}
      return name === undefined
        ? []
        : [{ client_id, name, ...(logo_uri ? { logo_uri } : {}), scopes: [...scopes], ...times }]
    }),
  )
  return shown.flat().sort((a, b) => a.name.localeCompare(b.name))
}

/** Withdraws consent and ends every code and token at that client, offline ones too. Throws NotFound. */
export async function revokeGrant(
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  client_id: string,
): Promise<void> {
  const { uid } = by.caller
  const scopes = await store.consents.withdraw(uid, client_id)
  const grants = await store.provider.revokeByClient(uid, client_id)
  if (scopes.length + grants === 0) throw new Refusal('NotFound', 'This application has nothing of yours.')
  const detail = { uid, scopes, grants }
  audit.append({ ...by.event, action: 'grant.revoke', target: client_id, outcome: 'ok', detail })
}
