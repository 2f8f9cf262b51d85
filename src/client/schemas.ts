import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, body, message, next, oldestFirst, paging, results } from '#src/http/replies.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\x00-\\x1f\\x7f]+$',
  description: 'Shown to people.',
})
const description = Type.String({ maxLength: 2000 })
const uri = Type.String({ maxLength: 2000 })
const uris = Type.Array(uri, { maxItems: 100 })
const lines = Type.String({ maxLength: 20_000, description: 'Separated by newlines.' })
const names = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 500 })
const seconds = Type.Integer({ minimum: 1, maximum: 315_360_000, description: 'Seconds.' })
const algorithm = Type.Enum(['RS256', 'ES256', 'EdDSA'], { description: 'Signs the ID token.' })
export const grantTypeNames = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const
const grantTypes = Type.Array(Type.Enum([...grantTypeNames]), {
  uniqueItems: true,
  minItems: 1,
  description:
    'Default: authorization_code, refresh_token. client_credentials never for a public client, refresh_token only beside a grant of a person.',
})
const groupsClaim = Type.Union([Type.Enum(['all', 'allowed']), names], {
  description:
    'Which groups the `groups` claim tells: all, those in allowed_groups, or patterns of names with *.',
})
const lifetime = { access_token: seconds, refresh_token: seconds }

/** An OAuth client as the API shows it (interface, OAuth client; contract section 10). Never with its secret. */
export const Client = answer({
  client_id: Type.String({ description: 'UUID' }),
  name: Type.String(),
  description: Type.String(),
  redirect_uris: Type.Array(Type.String(), {
    description: 'Exact URIs, or patterns with * and ** as host labels.',
  }),
  scopes: Type.Array(Type.String()),
  allowed_groups: Type.Array(Type.String(), { description: 'Empty: everybody.' }),
  token_lifetime: answer(lifetime),
  is_valid: Type.Boolean(),
  created_by: Type.String(),
  created_on: Type.Integer({ description: 'Milliseconds.' }),
  updated_by: Type.String(),
  updated_on: Type.Integer({ description: 'Milliseconds.' }),
  require_pkce: Type.Boolean(),
  skip_consent: Type.Boolean(),
  public: Type.Boolean({ description: 'Has no secret; PKCE is always required.' }),
  post_logout_redirect_uris: Type.Array(Type.String()),
  backchannel_logout_uri: Type.Optional(Type.String()),
  id_token_signed_response_alg: algorithm,
  grant_types: Type.Array(Type.String()),
  logo_uri: Type.Optional(Type.String()),
  groups_claim: Type.Union([Type.String(), Type.Array(Type.String())]),
  groups_in_id_token: Type.Boolean(),
})
export type Client = Static<typeof Client>

/** As stored: own token lifetimes only, and the hash of the secret. */
export type ClientRecord = Omit<
  Client,
  'token_lifetime' | 'groups_claim' | 'grant_types' | 'updated_by' | 'updated_on'
> & {
  token_lifetime: { access_token?: number; refresh_token?: number }
  groups_claim: 'all' | 'allowed' | string[]
  grant_types: (typeof grantTypeNames)[number][]
  secret_hash: string
}

const changeable = {
  description: Type.Optional(description),
  scopes: Type.Optional(
    Type.Union([names, Type.String({ maxLength: 4000, description: 'Separated by spaces.' })], {
      description: 'Default: openid profile email groups.',
    }),
  ),
  allowed_groups: Type.Optional(names),
  token_lifetime: Type.Optional(
    Type.Union([
      Type.Object(
        { access_token: Type.Optional(seconds), refresh_token: Type.Optional(seconds) },
        { additionalProperties: false, description: 'What is left out keeps the default.' },
      ),
      Type.Null(),
    ]),
  ),
  require_pkce: Type.Optional(Type.Boolean()),
  skip_consent: Type.Optional(Type.Boolean()),
  public: Type.Optional(Type.Boolean()),
  post_logout_redirect_uris: Type.Optional(Type.Union([uris, lines])),
  backchannel_logout_uri: Type.Optional(Type.Union([uri, Type.Null()])),
  id_token_signed_response_alg: Type.Optional(algorithm),
  grant_types: Type.Optional(grantTypes),
  logo_uri: Type.Optional(Type.Union([uri, Type.Null()])),
  groups_claim: Type.Optional(groupsClaim),
  groups_in_id_token: Type.Optional(Type.Boolean()),
}
const redirectUris = Type.Union([uris, lines], {
  description:
    'Exact URIs or patterns; a string holds one in each line. Needed with authorization_code only.',
})

export const NewClient = body({ name, redirect_uris: Type.Optional(redirectUris), ...changeable })
export type NewClient = Static<typeof NewClient>

export const ClientChanges = body({
  name: Type.Optional(name),
  redirect_uris: Type.Optional(redirectUris),
  ...changeable,
  is_valid: Type.Optional(
    Type.Boolean({ description: 'False: the client and all its tokens are refused at once.' }),
  ),
})
export type ClientChanges = Static<typeof ClientChanges>

export const ClientId = Type.Object({ client_id: Type.String({ maxLength: 128 }) })
export const ChangeQuery = Type.Object({
  unless_after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The `updated_on` that was read: refused with Conflict when the client was changed since.',
    }),
  ),
})
export const ListQuery = Type.Object({ ...paging, ...oldestFirst })

const secret = Type.String({ description: 'Shown this once.' })
export const ClientList = results(Type.Array(Client), next)
export const OneClient = results(Client)
export const ChangedClient = results(Client, { message })
export const CreatedClient = results(answer({ client_id: Type.String(), name: Type.String() }), {
  client_secret: Type.Optional(secret),
  message,
})
export const RemovedClient = answer({ client_id: Type.String(), message })
export const RotatedSecret = answer({ client_secret: secret, message })

export const PreviewOf = body({
  uid: Type.String({ minLength: 1, maxLength: 128 }),
  scope: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Separated by spaces. Default: the scopes of the client.' }),
  ),
})
const claims = Type.Record(Type.String(), Type.Unknown())
export const Preview = results(
  answer({
    granted: Type.Boolean(),
    scopes: Type.Array(Type.String(), { description: 'What would be granted.' }),
    dropped: Type.Array(Type.String(), { description: 'Asked for, but not registered for the client.' }),
    id_token: Type.Optional(claims),
    userinfo: Type.Optional(claims),
    refusal: Type.Optional(
      answer({
        name: Type.String({ description: 'GroupRequired, LoginFailed, invalid_client or invalid_scope.' }),
        message,
        allowed_groups: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  }),
)
