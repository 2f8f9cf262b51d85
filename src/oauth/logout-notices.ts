/**
 * Back-channel logout (OpenID Connect Back-Channel Logout 1.0). Whatever ends a session (signing out here, at the provider
 * or for an application, all sessions at once, a password change, a lock, a deletion) tells every client that was given a
 * code in it, by a job each: begun at once, tried again, and not waited for by whoever signs out. A session that merely
 * expires tells nobody, since nothing happens at that moment; so do tokens, which end by themselves.
 */
import type { Client } from 'oidc-provider'
import type { EndedSession } from '#adapters/redis/session-record.ts'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { subjectOf } from './claims.ts'
import { sidOf } from './seams.ts'
import { logoutToken } from './seams-id-tokens.ts'

export type LogoutNotice = { client_id: string; sid: string; sub?: string }

/** The provider that signs, for the jobs of the same store. */
const signers = new WeakMap<Deps['store'], ProviderDeps['provider']>()

export function announceLogouts(deps: ProviderDeps): void {
  const { store, provider } = deps
  signers.set(store, provider)
  store.provider.onLogout((ended, clients) => announce(deps, ended, clients))
}

/** Makes the jobs, for the clients that want to know. */
async function announce(
  { store, accounts, config }: Pick<Deps, 'store' | 'accounts' | 'config'>,
  { id, uid }: EndedSession,
  clientIds: string[],
): Promise<void> {
  const records = await Promise.all(clientIds.map((client) => store.resources.findClient(client)))
  const telling = records
    .filter((record) => record !== undefined)
    .filter((record) => record.backchannel_logout_uri)
  if (telling.length === 0) return
  // Of somebody who is gone already the session alone must do.
  const account = config.oauth.subject === 'uid' ? undefined : await accounts.find(uid)
  const sub = config.oauth.subject === 'uid' ? uid : account && subjectOf(account.entry, config)
  await store.jobs.add(
    ...telling.map(({ client_id }) => {
      const data: LogoutNotice = { client_id, sid: sidOf(id, client_id), ...(sub ? { sub } : {}) }
      return { id: `logout-${id}-${client_id}`, kind: 'logout', data, secret: true, unwaited: true }
    }),
  )
}

/** Tells one client, with a token made for this try. Throws UpstreamFailure when it did not say that it understood. */
export async function tellOfLogout(deps: Deps, { client_id, sid, sub }: LogoutNotice): Promise<void> {
  const provider = signers.get(deps.store)?.current
  if (!provider) throw new Refusal('UpstreamFailure', 'The provider is not open yet.')
  const client = (await provider.Client.find(client_id)) as
    | (Client & { backchannelLogoutUri?: string })
    | undefined
  if (!client?.backchannelLogoutUri) return
  const logout_token = await logoutToken(provider, client, { sid, ...(sub ? { sub } : {}) })
  const { status } = await deps.egress.send(client.backchannelLogoutUri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
  })
  // Section 2.8 asks for 200; frameworks that have nothing to say answer 204.
  if (status !== 200 && status !== 204)
    throw new Refusal('UpstreamFailure', `The application answered ${status} to a logout.`)
}

/** The application still believes that somebody is signed in: an operator can see it. */
export async function neverTold({ audit }: Deps, { client_id, sid, sub }: LogoutNotice): Promise<void> {
  audit.append({
    ...{ actor: sub ?? '', action: 'logout.notice', target: client_id, outcome: 'failed', address: '' },
    detail: { sid },
  })
}
