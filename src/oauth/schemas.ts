import Type from 'typebox'
import { answer, body } from '#src/http/replies.ts'

const text = (description: string, maxLength = 2048) => Type.String({ maxLength, description })
const optional = (description: string) => Type.Optional(text(description, 4096))

/** Body of `POST /api/oauth/authorize`: the parameters of `GET /oauth/authorize` (interface; contract section 1). */
export const Authorization = body({
  response_type: Type.Optional(text('Must be `code`. Needed unless request_uri says it.', 64)),
  client_id: text('The client.', 128),
  redirect_uri: Type.Optional(
    text('Where the code goes; registered for the client. Needed unless request_uri says it.'),
  ),
  scope: optional('Scopes, separated by spaces; unregistered ones are dropped.'),
  state: optional('Returned unchanged.'),
  code_challenge: optional('Base64url SHA-256 of the code verifier (RFC 7636).'),
  code_challenge_method: optional('Must be `S256`.'),
  nonce: optional('Comes back in the ID token.'),
  claims: optional('OpenID Connect Core section 5.5.'),
  resource: optional('RFC 8707: refused, since no resource indicators are supported.'),
  request_uri: optional(
    'What `POST /oauth/par` answered (RFC 9126); it stands for all others but client_id.',
  ),
  dpop_jkt: optional('RFC 9449 section 10.'),
  max_age: Type.Optional(Type.Union([Type.String({ maxLength: 16 }), Type.Integer({ minimum: 0 })])),
  prompt: optional('`login` demands a fresh sign-in, which this route cannot do.'),
  login_hint: optional('OpenID Connect Core section 3.1.2.1.'),
  ui_locales: optional('OpenID Connect Core section 3.1.2.1.'),
  acr_values: optional('OpenID Connect Core section 3.1.2.1.'),
})

export const Authorized = answer({
  redirect_url: Type.String({
    description: '`<redirect_uri>?code=<code>&state=<state>`, and `iss` (RFC 9207).',
  }),
})
