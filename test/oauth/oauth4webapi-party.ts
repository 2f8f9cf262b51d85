// A relying party as others write it on oauth4webapi, run by oauth4webapi.test.ts as a process of its own.
// Arguments: issuer, client_id, client_secret, port. Prints its address, then serves / (sign in), /cb, /refresh,
// /introspect and /revoke.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import * as oauth from 'oauth4webapi'

const [issuer = '', client_id = '', client_secret = '', port = ''] = process.argv.slice(2)
const base = `http://127.0.0.1:${port}`
const redirect_uri = `${base}/cb`
const insecure = { [oauth.allowInsecureRequests]: true }

const discovered = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oidc', ...insecure })
const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered)
const client: oauth.Client = { client_id }
const basic = oauth.ClientSecretBasic(client_secret)
const post = oauth.ClientSecretPost(client_secret)

let begun = { code_verifier: '', state: '', nonce: '' }
let tokens: oauth.TokenEndpointResponse

const pages: Record<string, (url: URL) => Promise<unknown>> = {
  async '/cb'(url) {
    const { code_verifier, state, nonce } = begun
    const answered = oauth.validateAuthResponse(server, client, url, state)
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, basic, answered, redirect_uri, code_verifier] as const),
      insecure,
    )
    const checks = { expectedNonce: nonce, requireIdToken: true }
    tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks)
    await oauth.validateApplicationLevelSignature(server, response, insecure)
    return person()
  },
  async '/refresh'() {
    const before = tokens.refresh_token ?? ''
    const response = await oauth.refreshTokenGrantRequest(server, client, post, before, insecure)
    tokens = await oauth.processRefreshTokenResponse(server, client, response)
    await oauth.validateApplicationLevelSignature(server, response, insecure)
    return { ...(await person()), rotated: tokens.refresh_token !== before }
  },
  async '/introspect'() {
    const response = await oauth.introspectionRequest(server, client, post, tokens.access_token, insecure)
    return oauth.processIntrospectionResponse(server, client, response)
  },
  async '/revoke'() {
    const { refresh_token = '' } = tokens
    const response = await oauth.revocationRequest(server, client, basic, refresh_token, insecure)
    await oauth.processRevocationResponse(response)
    const again = await oauth.refreshTokenGrantRequest(server, client, basic, refresh_token, insecure)
    const refused = await oauth.processRefreshTokenResponse(server, client, again).catch((error) => error)
    return { error: refused.error, status: refused.status }
  },
}

async function person() {
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  const response = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
  const userinfo = await oauth.processUserInfoResponse(server, client, claims?.sub ?? '', response)
  return { claims, userinfo }
}

async function begin(response: ServerResponse): Promise<void> {
  const code_verifier = oauth.generateRandomCodeVerifier()
  begun = { code_verifier, state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce() }
  const location = new URL(server.authorization_endpoint ?? '')
  location.search = new URLSearchParams({
    ...{ client_id, redirect_uri, response_type: 'code', scope: 'openid profile email groups' },
    code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    ...{ state: begun.state, nonce: begun.nonce },
  }).toString()
  response.writeHead(303, { location: location.href }).end()
}

const http = createServer((request, response) => {
  const url = new URL(request.url ?? '/', base)
  if (url.pathname === '/') return void begin(response)
  const page = pages[url.pathname]
  if (!page) return void response.writeHead(404).end()
  page(url).then(
    (shown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown)),
    (error) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error?.stack ?? error)),
  )
})
http.listen(Number(port), '127.0.0.1')
await once(http, 'listening')
console.log(base)
