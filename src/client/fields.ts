import { Refusal } from '#src/errors.ts'
import { isPattern, redirectUriFault } from '#src/oauth/redirect-uri.ts'
import type { Config } from '#src/settings.ts'
import type { ClientChanges, ClientRecord } from './schemas.ts'

export const defaultScopes = ['openid', 'profile', 'email', 'groups']

/** RFC 6749 section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/

type Fields = Omit<ClientRecord, 'client_id' | 'created_by' | 'created_on' | 'secret_hash'>

/** A new client before anything was said of it (contract section 10). */
export const defaultFields: Omit<Fields, 'name'> = {
  description: '',
  redirect_uris: [],
  scopes: defaultScopes,
  allowed_groups: [],
  token_lifetime: {},
  is_valid: true,
  require_pkce: true,
  skip_consent: false,
  public: false,
  post_logout_redirect_uris: [],
  id_token_signed_response_alg: 'RS256',
  grant_types: ['authorization_code', 'refresh_token'],
  groups_claim: 'all',
  groups_in_id_token: true,
}

/** What a request says, in the form it is stored in: lists are lists, each once. */
export function normalise({
  redirect_uris,
  post_logout_redirect_uris,
  scopes,
  ...others
}: ClientChanges): Partial<Fields> {
  const { token_lifetime, logo_uri, backchannel_logout_uri, ...plain } = others
  return {
    ...plain,
    ...(plain.allowed_groups ? { allowed_groups: unique(plain.allowed_groups) } : {}),
    ...(redirect_uris === undefined ? {} : { redirect_uris: list(redirect_uris, '\n') }),
    ...(post_logout_redirect_uris === undefined
      ? {}
      : { post_logout_redirect_uris: list(post_logout_redirect_uris, '\n') }),
    ...(scopes === undefined ? {} : { scopes: list(scopes, ' ') }),
    ...(token_lifetime === undefined ? {} : { token_lifetime: token_lifetime ?? {} }),
    ...(logo_uri === undefined ? {} : { logo_uri: logo_uri || undefined }),
    ...(backchannel_logout_uri === undefined
      ? {}
      : { backchannel_logout_uri: backchannel_logout_uri || undefined }),
  }
}

/** Throws InvalidInput, naming the field, for what no client may have. */
export function assertFields(record: ClientRecord, { oauth }: Pick<Config, 'oauth'>): void {
  const { redirect_uris, post_logout_redirect_uris, scopes } = record
  const registration = { public: record.public, http_redirects: oauth.http_redirects }
  for (const uri of redirect_uris) check('redirect_uris', uri, redirectUriFault(uri, registration))
  for (const uri of post_logout_redirect_uris)
    check(
      'post_logout_redirect_uris',
      uri,
      isPattern(uri) ? 'must be exact' : redirectUriFault(uri, registration),
    )
  if (scopes.length === 0) refuse('scopes', 'needs at least one scope')
  for (const scope of scopes) check('scopes', scope, scopeToken.test(scope) ? undefined : 'is not a scope')
  assertGrants(record)
  for (const field of ['logo_uri', 'backchannel_logout_uri'] as const) {
    const uri = record[field]
    if (uri !== undefined)
      check(field, uri, isWebUri(uri) ? undefined : 'must be an http(s) URL without fragment')
  }
}

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'

/** What belongs together: a code needs somewhere to go, a client without secret proves nothing (RFC 6749 section 4.4). */
function assertGrants({ grant_types, redirect_uris, public: isPublic }: ClientRecord): void {
  const allows = (name: ClientRecord['grant_types'][number]) => grant_types.includes(name)
  if (allows('authorization_code') && redirect_uris.length === 0)
    refuse('redirect_uris', 'needs at least one URI')
  if (allows('client_credentials') && isPublic)
    refuse('grant_types', 'allows client_credentials only to a client with a secret')
  if (allows('refresh_token') && !allows('authorization_code') && !allows(deviceCode))
    refuse('grant_types', `allows refresh_token only beside authorization_code or ${deviceCode}`)
}

function check(field: string, value: string, fault: string | undefined): void {
  if (fault) refuse(field, `${JSON.stringify(value.slice(0, 200))} ${fault}`)
}

function refuse(field: string, fault: string): never {
  throw new Refusal('InvalidInput', `${field}: ${fault}.`)
}

function isWebUri(uri: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#')) return false
  const { protocol, username, password } = new URL(uri)
  return (protocol === 'https:' || protocol === 'http:') && !username && !password
}

function list(value: string[] | string, separator: '\n' | ' '): string[] {
  const items = typeof value === 'string' ? value.split(separator === '\n' ? /[\r\n]+/ : /\s+/) : value
  return unique(items.map((item) => item.trim()).filter(Boolean))
}

function unique(items: string[]): string[] {
  return [...new Set(items)]
}
