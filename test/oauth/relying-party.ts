// A relying party as others write it: openid-client on node:http, run by openid-client.test.ts as a process of its own.
// Arguments: issuer, client_id, client_secret. Prints its address, then serves / (sign in), /cb and /refresh.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as openid from 'openid-client'

const [issuer = '', client_id = '', client_secret = '', port = '0'] = process.argv.slice(2)

const config = await openid.discovery(new URL(issuer), client_id, client_secret, undefined, {
  execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
})
let begun: { code_verifier: string; state: string; nonce: string } | undefined
let refresh_token = ''

const server = createServer((request, response) => {
  serve(new URL(request.url ?? '/', base()), response).catch((error) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error?.stack ?? error))
  })
})
server.listen(Number(port), '127.0.0.1')
await once(server, 'listening')
console.log(base())

async function serve(url: URL, response: ServerResponse): Promise<void> {
  if (url.pathname === '/') return begin(response)
  if (url.pathname === '/cb') return answer(response, await finish(url))
  if (url.pathname === '/refresh') return answer(response, await again())
  response.writeHead(404).end()
}

async function begin(response: ServerResponse): Promise<void> {
  const code_verifier = openid.randomPKCECodeVerifier()
  begun = { code_verifier, state: openid.randomState(), nonce: openid.randomNonce() }
  const location = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${base()}/cb`,
    scope: 'openid profile email groups',
    code_challenge: await openid.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
    state: begun.state,
    nonce: begun.nonce,
  })
  response.writeHead(303, { location: location.href }).end()
}

async function finish(url: URL) {
  const { code_verifier, state, nonce } = begun ?? { code_verifier: '', state: '', nonce: '' }
  const tokens = await openid.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: code_verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  refresh_token = tokens.refresh_token ?? ''
  const claims = tokens.claims()
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
  return { claims, userinfo, header: headerOf(tokens.id_token) }
}

async function again() {
  const tokens = await openid.refreshTokenGrant(config, refresh_token)
  const rotated = tokens.refresh_token !== refresh_token
  refresh_token = tokens.refresh_token ?? ''
  const claims = tokens.claims()
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
  return { claims, userinfo, rotated }
}

function answer(response: ServerResponse, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
}

function headerOf(jwt = ''): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString())
}

function base(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
