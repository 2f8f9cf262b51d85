/**
 * What the service is measured against: a bare `oidc-provider` with its own memory adapter on `node:http`, with as
 * many clients, the same scopes and claims, RS256, PKCE and refresh tokens, and nothing else: no LDAP, no Redis, no
 * log, no metrics (with the URL of a Redis its records are there). `POST /bind`, or a `password` header at its interaction, checks a password by a bare LDAP bind through
 * ldapts, the least a login can cost.
 * Started by main.ts as `node bench/reference.ts <port> <LDAP URL> <base> [<Redis URL>]`.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client } from 'ldapts'
import type { Configuration, JWKS } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import { clients, redirectOf, scope } from './names.ts'
import { redisAdapter } from './reference-store.ts'

const [port = '', ldapUrl = '', base = '', redisUrl] = process.argv.slice(2)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const configuration: Configuration = {
  ...(redisUrl ? { adapter: redisAdapter(redisUrl) } : {}),
  clients: Array.from({ length: clients }, (_, client) => ({
    client_id: `client${client}`,
    client_secret: `secret-of-${client}`,
    redirect_uris: [redirectOf(client)],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  })),
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => claimsOf(sub) }),
  claims: {
    openid: ['sub'],
    profile: ['preferred_username', 'name', 'given_name', 'family_name'],
    email: ['email'],
    groups: ['groups'],
  },
  scopes: scope.split(' '),
  conformIdTokenClaims: false,
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
  },
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    userinfo: '/oauth/userinfo',
    introspection: '/oauth/introspect',
  },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  issueRefreshToken: async () => true,
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] } as JWKS,
  ttl: {
    AccessToken: 3600,
    ClientCredentials: 3600,
    AuthorizationCode: 60,
    IdToken: 3600,
    RefreshToken: 2_592_000,
    Interaction: 3600,
    Session: 2_592_000,
    Grant: 2_592_000,
  },
}
const provider = new Provider(`http://127.0.0.1:${port}`, configuration)
const answer = provider.callback()

createServer((request, response) => {
  if (request.url?.startsWith('/interaction/')) return finish(signIn(request, response), response)
  if (request.url === '/bind') return finish(bind(request, response), response)
  return answer(request, response)
}).listen(Number(port), '127.0.0.1')

/** Signs in whom `login_hint` names, with consent to all that was asked: no page, no question but a `password` header. */
async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const accountId = String(params.login_hint)
  const { password } = request.headers
  if (typeof password === 'string') await check(accountId, password)
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } })
}

// Two connections, as many as the service gives to password checks by default; binds on one go one by one.
const lanes = Array.from({ length: 2 }, () => ({
  client: new Client({ url: ldapUrl }),
  last: Promise.resolve(),
}))
let next = 0

async function bind(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uid, password } = JSON.parse(await text(request))
  await check(uid, password)
  response.setHeader('content-type', 'application/json').end('{"login":true}')
}

async function check(uid: string, password: string): Promise<void> {
  const lane = lanes[next++ % lanes.length] as (typeof lanes)[number]
  const bound = lane.last.then(() => lane.client.bind(`uid=${uid},ou=people,${base}`, password))
  lane.last = bound.catch(() => {})
  await bound
}

function finish(done: Promise<void>, response: ServerResponse): void {
  done.catch((error) => response.writeHead(500).end(String(error)))
}

function claimsOf(sub: string) {
  const number = Number(sub.slice('person'.length))
  return {
    sub,
    preferred_username: sub,
    name: `Given${number} Family${number}`,
    given_name: `Given${number}`,
    family_name: `Family${number}`,
    email: `${sub}@example.org`,
    groups: Array.from({ length: 12 }, (_, step) => `team${(number + 7 * step) % 200}`),
  }
}
