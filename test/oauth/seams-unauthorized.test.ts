import { errors, Provider } from 'oidc-provider'
import { test } from 'tap'
import { ask, bare, post, redirect_uri, replace } from './bare-provider.ts'

test('the library asks grantTypeAllowed and responseTypeAllowed of the client, and calls what they throw by its name', async (t) => {
  const { provider } = bare({
    features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
  })
  const seen: unknown[] = []
  for (const name of ['grantTypeAllowed', 'responseTypeAllowed'] as const)
    replace(provider.Client.prototype, name, () => (type: string) => {
      const { oidc } = Provider.ctx ?? {}
      seen.push([name, oidc?.route, type, oidc?.params?.grant_type])
      throw new errors.UnauthorizedClient('not this one')
    })
  const named = { error: 'unauthorized_client' }
  t.match(JSON.parse((await post(provider, { grant_type: 'refresh_token' })).body), named)
  t.match(JSON.parse((await post(provider, {}, '/device/auth')).body), named)
  const query = new URLSearchParams({ response_type: 'code', client_id: 'c', redirect_uri, scope: 'openid' })
  t.match((await ask(provider, `/auth?${query}`)).location, /\?error=unauthorized_client/)
  t.same(seen, [
    ['grantTypeAllowed', 'token', 'refresh_token', 'refresh_token'],
    ['grantTypeAllowed', 'device_authorization', 'urn:ietf:params:oauth:grant-type:device_code', undefined],
    ['responseTypeAllowed', 'authorization', 'code', undefined],
  ])
})
