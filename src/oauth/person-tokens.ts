import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { AdapterPayload, Grant } from 'oidc-provider'
import type { Made, Usable } from '#adapters/redis/exchanges.ts'
import type { Account } from '#src/accounts.ts'
import type { ProviderDeps } from '#src/deps.ts'
import { mayStillUse } from './account.ts'
import { claimsOf } from './claims.ts'
import type { OurClient } from './clients.ts'
import { extend } from './grants.ts'
import { accessTokenSeconds, refreshTokenSeconds } from './lifetimes.ts'
import type { PlainForm } from './plain-form.ts'
import { plainClient } from './plain-form.ts'
import { issueIdToken } from './seams-id-tokens.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const verifier = /^[\w.~-]{43,128}$/
const fieldsOf = {
  AuthorizationCode: new Set([
    'grant_type',
    'client_id',
    'client_secret',
    'code',
    'redirect_uri',
    'code_verifier',
  ]),
  RefreshToken: new Set(['grant_type', 'client_id', 'client_secret', 'refresh_token']),
}
/** A code or token that says any of these asks for more than a plain one: claims by name, a proof of possession. */
const unusual = [
  'claims',
  'resource',
  'rar',
  'jkt',
  'dpopJkt',
  'x5t#S256',
  'attestationJkt',
  'expiresWithSession',
]

/**
 * Tokens of a person for a code (RFC 6749 section 4.1.3) or a refresh token (section 6), in four round trips to Redis.
 * The new ones are written first and what they are given for is used up last: of all who try at once exactly one is
 * answered, and an error on the way leaves it usable. `undefined` where the library is to answer.
 */
export async function plainPersonTokens(
  form: PlainForm,
  model: Usable,
  deps: ProviderDeps,
): Promise<Record<string, unknown> | undefined> {
  const { provider, store, config, metrics } = deps
  const current = provider.current
  const { fields } = form
  const id = fields.get(model === 'RefreshToken' ? 'refresh_token' : 'code')
  if (!id || !uuid.test(id) || [...fields.keys()].some((name) => !fieldsOf[model].has(name))) return undefined
  const [client, source] = await Promise.all([plainClient(current, form), store.exchanges.find(model, id)])
  if (!client || !source || !isPlain(source, client)) return undefined
  if (model === 'AuthorizationCode' && !answersCode(source, fields)) return undefined

  const [grant, account] = await Promise.all([
    current.Grant.find(source.grantId as string),
    usableAccount(source, client, deps),
  ])
  if (!grant || !account || !holds(grant, source)) return undefined
  // A grant that has to be moved on is written by the library.
  if (model === 'RefreshToken' && extend(grant, client, { config })) return undefined
  const scope = grant.getOIDCScopeFiltered(new Set(source.scope?.split(' ')))
  if (!scope.split(' ').includes('openid')) return undefined

  const made = tokensFrom(source, model, scope, client, deps)
  const [access, refresh] = made
  const asked = { scope: source.scope as string, idToken: true, client }
  const [id_token] = await Promise.all([
    claimsOf(account, asked, deps).then((claims) => issueIdToken(current, client, { claims, scope, source })),
    store.exchanges.write(made),
  ])
  if (!(await store.exchanges.consume(model, id))) {
    await store.exchanges.drop(made)
    return undefined
  }
  metrics.oauthTokens.inc({ grant: model === 'RefreshToken' ? 'refresh_token' : 'authorization_code' })
  return {
    access_token: access.id,
    expires_in: access.seconds,
    id_token,
    ...(refresh ? { refresh_token: refresh.id } : {}),
    scope,
    token_type: 'Bearer',
  }
}

function isPlain(source: AdapterPayload, client: OurClient): boolean {
  return (
    source.clientId === client.clientId && (source.exp ?? 0) > now() && !unusual.some((name) => source[name])
  )
}

/** A code is given to whoever asked for it: same redirect URI, and the verifier of its challenge (RFC 7636, S256). */
function answersCode(
  { redirectUri, codeChallenge, codeChallengeMethod }: AdapterPayload,
  fields: Map<string, string>,
): boolean {
  if (redirectUri !== fields.get('redirect_uri')) return false
  const given = fields.get('code_verifier')
  if (given === undefined || codeChallenge === undefined) return given === codeChallenge
  if (codeChallengeMethod !== 'S256' || !verifier.test(given)) return false
  const [is, ought] = [createHash('sha256').update(given).digest('base64url'), codeChallenge].map(Buffer.from)
  return is?.length === ought?.length && timingSafeEqual(is as Buffer, ought as Buffer)
}

/** The rechecks of contract section 9; where a scope is no longer registered, the library drops it. */
async function usableAccount(
  source: AdapterPayload,
  client: OurClient,
  deps: ProviderDeps,
): Promise<Account | undefined> {
  const account = await deps.accounts.find(source.accountId as string)
  const holder = { ...source }
  if (!account?.entry.isActive || !(await mayStillUse(account, client, holder, deps))) return undefined
  return holder.scope === source.scope ? account : undefined
}

function holds(grant: Grant & { rejected?: unknown }, { clientId, accountId }: AdapterPayload): boolean {
  return grant.clientId === clientId && grant.accountId === accountId && !grant.rejected
}

/** An access token, and a refresh token where the client may have one; their records are the library's own. */
function tokensFrom(
  source: AdapterPayload,
  model: Usable,
  scope: string,
  client: OurClient,
  { config }: Pick<ProviderDeps, 'config'>,
): [Made, Made?] {
  const { accountId, clientId, grantId, sessionUid, sid, acr, amr, authTime, nonce, iiat, rotations } = source
  const iat = now()
  const gty = grantTypes(source.gty as string | undefined, model)
  const make = (model: Made['model'], seconds: number, fields: object): Made => ({
    ...{ id: randomUUID(), model, seconds },
    payload: {
      ...{ iat, exp: iat + seconds, kind: model, accountId, clientId, grantId, sessionUid, sid, gty },
      ...fields,
    },
  })
  const access = make('AccessToken', accessTokenSeconds(client, config), { scope })
  if (!client.grantTypeAllowed('refresh_token')) return [access]
  const kept = { scope: source.scope, acr, amr, authTime, nonce, iiat: iiat ?? iat }
  const turns = model === 'RefreshToken' ? Number(rotations ?? 0) + 1 : 0
  return [access, make('RefreshToken', refreshTokenSeconds(client, config), { ...kept, rotations: turns })]
}

/** How a token came about: the grant it began with, and whether it was refreshed since. */
function grantTypes(before: string | undefined, model: Usable): string {
  if (model === 'AuthorizationCode') return 'authorization_code'
  return !before || before.endsWith('refresh_token') ? (before ?? '') : `${before} refresh_token`
}

const now = () => Math.floor(Date.now() / 1000)
