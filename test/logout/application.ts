import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { JWTPayload } from 'jose'
import { createRemoteJWKSet, jwtVerify } from 'jose'

export type Notice = JWTPayload & { sid?: string; nonce?: string; events?: Record<string, unknown> }
type Received = { path: string; notice: Notice; header: Record<string, unknown> }
export type Application = Awaited<ReturnType<typeof startApplication>>

/**
 * An application on loopback that is told of logouts: it verifies each as OpenID Connect Back-Channel Logout section 2.6
 * says, with jose and the keys that the issuer publishes, and answers 400 to whatever does not hold. Each client of a
 * test has a path of its own.
 */
export async function startApplication(issuer: () => string) {
  const received: Received[] = []
  const refused: string[] = []
  /** Answers with this status first, that many times; with 0 it never answers. */
  const failing = new Map<string, { status: number; times: number }>()
  const audiences = new Map<string, { client_id: string; alg: string }>()

  const from = { keys: issuer }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    const failure = failing.get(path)
    if (failure && failure.times-- > 0) return failure.status && response.writeHead(failure.status).end()
    try {
      const { client_id, alg } = audiences.get(path) ?? { client_id: '', alg: '' }
      const token = new URLSearchParams(body).get('logout_token') ?? ''
      const keys = createRemoteJWKSet(new URL(`${from.keys()}/oauth/jwks`))
      const expected = { issuer: issuer(), audience: client_id, algorithms: [alg], typ: 'logout+jwt' }
      const { payload, protectedHeader } = await jwtVerify<Notice>(token, keys, {
        ...expected,
        requiredClaims: ['iat', 'exp', 'jti', 'events', 'sid'],
      })
      if (payload.nonce !== undefined) throw new Error('a logout token has no nonce')
      const event = payload.events?.['http://schemas.openid.net/event/backchannel-logout']
      if (JSON.stringify(event) !== '{}') throw new Error('no logout event')
      if (received.some(({ notice }) => notice.jti === payload.jti)) throw new Error('seen before')
      if (request.method !== 'POST') throw new Error(`a ${request.method}`)
      received.push({ path, notice: payload, header: { ...protectedHeader } })
      response.writeHead(200, { 'cache-control': 'no-store' }).end()
    } catch (error) {
      refused.push(String(error))
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    received,
    refused,
    failing,
    from,
    uriOf: (name: string) => `${url}/${name}`,
    expect(name: string, client_id: string, alg = 'RS256') {
      audiences.set(`/${name}`, { client_id, alg })
    },
    told: (name: string): Notice[] =>
      received.filter(({ path }) => path === `/${name}`).map(({ notice }) => notice),
    /** The notice that comes to a client as the `nth`. */
    async notice(name: string, nth = 1): Promise<Notice> {
      for (const until = Date.now() + 20_000; Date.now() < until; await setTimeout(20)) {
        const found = this.told(name)[nth - 1]
        if (found) return found
      }
      throw new Error(`no logout number ${nth} came to ${name}: ${refused.join(', ')}`)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
