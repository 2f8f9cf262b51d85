/**
 * What the conformance suite of the OpenID Foundation does to a provider: a browser that goes through its pages, and a
 * relying party that checks what comes back. oauth4webapi does the checking, as strict as the suite.
 */
import { createHash, randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { freshAddress } from '#test/support/client.ts'
import type { Registered } from '#test/support/oauth.ts'
import type { TestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

type Params = Record<string, string>
type Person = { uid: string; password: string }
type Answer = Awaited<ReturnType<TestService['request']>>
/** Where an authorization ended: at the application, with these parameters, or on a page; and the pages before it. */
export type Ending = { asked: Params; shown: string[]; params?: URLSearchParams; answer: Answer }

export const callback = 'https://suite.example/test/a/latchkey/callback'
export const afterLogout = 'https://suite.example/test/a/latchkey/post_logout_redirect'
const insecure = { [oauth.allowInsecureRequests]: true }
const html = { accept: 'text/html' }

/** One run of a module: a browser of its own, a person to sign in, a client as the suite is configured with it. */
export async function moduleRun(service: TestService, client: Registered, person: Person) {
  const { go, locationOf, session } = visitor(service, freshAddress())
  const discovered = await oauth.discoveryRequest(new URL(service.url), insecure)
  const server = await oauth.processDiscoveryResponse(new URL(service.url), discovered)
  const rp: oauth.Client = { client_id: client.client_id }
  const basic = oauth.ClientSecretBasic(client.client_secret)
  const post = oauth.ClientSecretPost(client.client_secret)

  function asking(changes: Record<string, string | undefined> = {}): Params {
    const asked = {
      ...{ client_id: client.client_id, redirect_uri: callback, response_type: 'code', scope: 'openid' },
      ...{ state: randomBytes(16).toString('hex'), nonce: randomBytes(16).toString('hex') },
      ...changes,
    }
    return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Params
  }

  /** The authorization request through every page that asks something, as the person. */
  async function authorize(
    changes: Record<string, string | undefined> = {},
    method: 'GET' | 'POST' = 'GET',
  ): Promise<Ending> {
    const asked = asking(changes)
    const foreign = { origin: new URL(callback).origin, 'sec-fetch-site': 'cross-site' }
    const shown: string[] = []
    let answer: Answer =
      method === 'POST'
        ? await go('POST', '/oauth/authorize', asked, foreign)
        : await go('GET', `/oauth/authorize?${new URLSearchParams(asked)}`)
    for (let step = 0; step < 12; step++) {
      const location = answer.headers.get('location')
      if (location?.startsWith(`${callback}?`))
        return { asked, shown, answer, params: new URL(location).searchParams }
      const action = /action="(\/oauth\/interaction\/[^"]+\/(login|consent))"/.exec(answer.text)
      if (location) answer = await go('GET', locationOf(answer))
      else if (action) {
        const [, path = '', page = ''] = action
        shown.push(page)
        answer = await go('POST', path, page === 'login' ? person : { decision: 'allow' })
      } else return { asked, shown, answer }
    }
    throw new Error(`the authorization goes round in circles: ${shown.join(', ')}`)
  }

  /** Redeems the code of an authorization; the ID token, its signature and its hash of the access token are checked. */
  async function exchange({ asked, params }: Ending, authentication = basic, verifier?: string) {
    const answered = oauth.validateAuthResponse(server, rp, params ?? new URLSearchParams(), asked.state)
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, rp, authentication, answered, callback, verifier ?? oauth.nopkce] as const),
      insecure,
    )
    return checked(response, asked.nonce)
  }

  async function checked(response: Response, nonce?: string) {
    const { headers } = response
    const tokens = await oauth.processAuthorizationCodeResponse(server, rp, response, {
      expectedNonce: nonce ?? oauth.expectNoNonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, insecure)
    const claims = oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken
    if (claims.at_hash !== undefined && claims.at_hash !== leftHalf(tokens.access_token))
      throw new Error(`at_hash ${claims.at_hash} is of another token`)
    return { ...tokens, claims, headers }
  }

  async function refresh(refresh_token: string) {
    const response = await oauth.refreshTokenGrantRequest(server, rp, basic, refresh_token, insecure)
    const tokens = await oauth.processRefreshTokenResponse(server, rp, response)
    await oauth.validateApplicationLevelSignature(server, response, insecure)
    return { ...tokens, claims: oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken }
  }

  async function userinfo(access_token: string, sub: string) {
    const response = await oauth.userInfoRequest(server, rp, access_token, insecure)
    return oauth.processUserInfoResponse(server, rp, sub, response)
  }

  /** The way of a module that only changes the request: sign-in, code, checked tokens, userinfo. */
  async function happy(changes: Record<string, string | undefined> = {}, method: 'GET' | 'POST' = 'GET') {
    const ending = await authorize(changes, method)
    const tokens = await exchange(ending)
    return { ...ending, tokens, userinfo: await userinfo(tokens.access_token, tokens.claims.sub) }
  }

  /** The end session request; on the page that asks, the person says yes. Answers what came last. */
  async function endSession(params: Params) {
    const asked = await go('GET', `/oauth/logout?${new URLSearchParams(params)}`)
    const xsrf = /name="xsrf" value="(\w+)"/.exec(asked.text)?.[1]
    if (!xsrf) return { asked, done: asked }
    let done: Answer = await go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })
    const isOurs = (to: string | null) => to !== null && new URL(to, service.url).origin === service.url
    while (isOurs(done.headers.get('location'))) done = await go('GET', locationOf(done))
    return { asked, done }
  }

  return {
    server,
    go,
    session,
    html,
    post,
    asking,
    authorize,
    exchange,
    refresh,
    userinfo,
    happy,
    endSession,
  }
}

/** OpenID Connect Core section 3.1.3.6, for RS256. */
function leftHalf(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
}

/** The error that a request to the token endpoint was answered with. */
export async function refusal(work: Promise<unknown>) {
  const { error, status } = await work.then(
    () => ({ error: 'none', status: 200 }),
    (cause: oauth.ResponseBodyError) => cause,
  )
  return { error, status }
}

type Fields = Record<string, unknown>

export function registerForSuite(register: (fields: Fields) => Promise<Registered>, more: Fields = {}) {
  return register({
    name: 'Conformance suite',
    redirect_uris: [callback],
    post_logout_redirect_uris: [afterLogout],
    scopes: 'openid profile email groups offline_access',
    require_pkce: false,
    ...more,
  })
}
