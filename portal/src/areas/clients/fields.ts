import type { Registration } from './recipes.ts'
import type { Changes, Client, NewFields } from './types.ts'

/** What a form holds of an application: texts as they are typed, a list of addresses as one in each line. */
export type Values = {
  name: string
  description: string
  logo_uri: string
  redirect_uris: string
  post_logout_redirect_uris: string
  backchannel_logout_uri: string
  allowed_groups: string[]
  scopes: string[]
  otherScopes: string
  groups_claim: 'all' | 'allowed' | 'patterns'
  patterns: string
  groups_in_id_token: boolean
  kind: 'confidential' | 'public'
  require_pkce: boolean
  skip_consent: boolean
  grant_types: string[]
  access_token: string
  refresh_token: string
  id_token_signed_response_alg: Client['id_token_signed_response_alg']
}
export type Lifetimes = { access_token: number; refresh_token: number }

export const device = 'urn:ietf:params:oauth:grant-type:device_code'
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', device] as const
export const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
/** The scopes that mean something to the service; others may be registered for what an application itself makes of them. */
export const scopes = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

/** An application before anything was said of it, as the API makes it. */
export const blank: Values = {
  name: '',
  description: '',
  logo_uri: '',
  redirect_uris: '',
  post_logout_redirect_uris: '',
  backchannel_logout_uri: '',
  allowed_groups: [],
  scopes: ['openid', 'profile', 'email', 'groups'],
  otherScopes: '',
  groups_claim: 'all',
  patterns: '',
  groups_in_id_token: true,
  kind: 'confidential',
  require_pkce: true,
  skip_consent: false,
  grant_types: ['authorization_code', 'refresh_token'],
  access_token: '',
  refresh_token: '',
  id_token_signed_response_alg: 'RS256',
}

/** `usual`: the lifetimes that apply where an application has none of its own, which a form leaves empty. */
export function valuesOf(client: Client, usual: Lifetimes): Values {
  const known = (scope: string) => scopes.some((each) => each === scope)
  const own = (name: keyof Lifetimes) =>
    client.token_lifetime[name] === usual[name] ? '' : String(client.token_lifetime[name])
  return {
    ...pick(client),
    logo_uri: client.logo_uri ?? '',
    redirect_uris: client.redirect_uris.join('\n'),
    post_logout_redirect_uris: client.post_logout_redirect_uris.join('\n'),
    backchannel_logout_uri: client.backchannel_logout_uri ?? '',
    scopes: client.scopes.filter(known),
    otherScopes: client.scopes.filter((scope) => !known(scope)).join(' '),
    ...claimValues(client.groups_claim),
    kind: client.public ? 'public' : 'confidential',
    access_token: own('access_token'),
    refresh_token: own('refresh_token'),
  }
}

/** What a recipe fills in; the rest stays as it is in `values`. */
export function withRecipe(values: Values, fields: Registration): Values {
  const {
    redirect_uris,
    post_logout_redirect_uris = [],
    backchannel_logout_uri = '',
    token_lifetime,
  } = fields
  const { require_pkce = true, skip_consent = false, groups_in_id_token = true } = fields
  const seconds = (value: number | undefined) => (value === undefined ? '' : String(value))
  return {
    ...values,
    ...{ require_pkce, skip_consent, groups_in_id_token, backchannel_logout_uri },
    redirect_uris: redirect_uris.join('\n'),
    post_logout_redirect_uris: post_logout_redirect_uris.join('\n'),
    ...claimValues(fields.groups_claim ?? 'all'),
    kind: fields.public ? 'public' : 'confidential',
    access_token: seconds(token_lifetime?.access_token),
    refresh_token: seconds(token_lifetime?.refresh_token),
  }
}

/** What makes of an application with `before` one with `after`: the fields that differ, and no other. */
export function changesOf(before: Values, after: Values): Changes {
  const [was, is] = [sent(before), sent(after)]
  const names = (Object.keys(is) as (keyof typeof is)[]).filter(
    (name) => JSON.stringify(is[name]) !== JSON.stringify(was[name]),
  )
  return Object.fromEntries(names.map((name) => [name, is[name]]))
}

/** A new application: its name, and what is not as the API would make it anyway. */
export function newFields(values: Values): NewFields {
  const { name } = values
  return { ...changesOf({ ...blank, name: '' }, values), name: name.trim() }
}

export function lines(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter(Boolean))]
}

function sent(
  values: Values,
): Required<Omit<NewFields, 'token_lifetime'>> & Pick<NewFields, 'token_lifetime'> {
  const { kind, groups_claim, patterns, access_token, refresh_token, otherScopes, ...rest } = values
  const lifetime = {
    ...(access_token ? { access_token: Number(access_token) } : {}),
    ...(refresh_token ? { refresh_token: Number(refresh_token) } : {}),
  }
  return {
    ...pick(rest),
    name: values.name.trim(),
    logo_uri: values.logo_uri.trim() || null,
    redirect_uris: lines(values.redirect_uris),
    post_logout_redirect_uris: lines(values.post_logout_redirect_uris),
    backchannel_logout_uri: values.backchannel_logout_uri.trim() || null,
    scopes: [...scopes.filter((scope) => values.scopes.includes(scope)), ...lines(otherScopes)],
    groups_claim: groups_claim === 'patterns' ? byLine(patterns) : groups_claim,
    public: kind === 'public',
    grant_types: grantTypes.filter((type) => values.grant_types.includes(type)),
    token_lifetime: Object.keys(lifetime).length > 0 ? lifetime : null,
  }
}

/** Fields that a form holds as the API has them. */
function pick<T extends Pick<Client, (typeof asTheyAre)[number]>>(from: T) {
  return Object.fromEntries(asTheyAre.map((name) => [name, from[name]])) as Pick<
    T,
    (typeof asTheyAre)[number]
  >
}
const asTheyAre = [
  'name',
  'description',
  'allowed_groups',
  'groups_in_id_token',
  'require_pkce',
  'skip_consent',
  'grant_types',
  'id_token_signed_response_alg',
] as const

function claimValues(claim: string | string[]): Pick<Values, 'groups_claim' | 'patterns'> {
  if (typeof claim !== 'string') return { groups_claim: 'patterns', patterns: claim.join('\n') }
  return { groups_claim: claim === 'allowed' ? 'allowed' : 'all', patterns: '' }
}

/** Names of groups hold blanks. */
function byLine(text: string): string[] {
  return [
    ...new Set(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ),
  ]
}
