import type { Client, Provider } from 'oidc-provider'
import { test } from 'tap'
import { logoutToken } from '#src/oauth/seams-id-tokens.ts'
import { bare } from '#test/oauth/bare-provider.ts'
import { payloadOf } from '#test/support/oauth.ts'

const methods = (of: { prototype: object }) => of.prototype as Record<string, unknown>

test('the library has the methods that are replaced: Session.sidFor and Client.backchannelLogout', (t) => {
  const { provider } = bare()
  t.type(methods(provider.Session).sidFor, 'function')
  t.type(methods(provider.Client).backchannelLogout, 'function')
  t.end()
})

test('IdToken makes logout tokens: signed, typed, with our claims and no others', async (t) => {
  const { provider } = bare()
  const client = (await (provider as Provider).Client.find('c')) as Client
  const token = await logoutToken(provider, client, { sub: 'somebody', sid: 'one' })
  const header = JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString())
  t.match(header, { alg: 'ES256', typ: 'logout+jwt' })
  t.match(payloadOf(token), { sub: 'somebody', sid: 'one', aud: 'c', iss: provider.issuer, events: Object })
  const nameless = payloadOf(await logoutToken(provider, client, { sid: 'one' }))
  t.same(Object.keys(nameless).sort(), ['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid'])
})
