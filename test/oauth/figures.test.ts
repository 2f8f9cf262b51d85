import { test } from 'tap'
import { prover } from '#test/support/dpop.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService()
const { request, url } = service
const admin = await service.login(service.admin.uid, service.admin.password)
const { register, asking, authorize, codeFor, redeem, refresh, userinfo } = relyingParty(service, admin)
const machine = { redirect_uris: [], grant_types: ['client_credentials'] }
const grant_type = 'client_credentials'

/** What one line of the metrics says, 0 where it is not there. */
async function figure(line: string): Promise<number> {
  const { text } = await request('GET', '/metrics')
  const [, count] =
    text
      .split('\n')
      .find((each) => each.startsWith(`${line} `))
      ?.split(' ') ?? []
  return Number(count ?? 0)
}

await test('metrics count the access tokens that applications get, by grant', async (t) => {
  const client = await register()
  const { client_id, client_secret } = await register(machine)
  const { body } = await redeem(client, await codeFor(client, admin))
  const again = (await refresh(client, body.refresh_token)).body
  await refresh(client, again.refresh_token)
  const own = { grant_type, client_id, client_secret }
  await request('POST', '/oauth/token', { body: own })
  const form = new URLSearchParams(own).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await request('POST', '/oauth/token', { body: form, headers })
  for (const [grant, count] of [
    ['authorization_code', 1],
    ['refresh_token', 2],
    ['client_credentials', 2],
  ] as const)
    t.equal(await figure(`oauth_access_tokens_total{grant="${grant}"}`), count, grant)
})

await test('metrics count what applications are refused, by endpoint and error: pushed requests and replayed proofs too', async (t) => {
  const client = await register()
  const { client_id, client_secret } = await register({ ...machine, grant_types: [grant_type] })
  const proof = prover().proof('POST', `${url}/oauth/token`)
  const ask = () =>
    request('POST', '/oauth/token', {
      body: { grant_type, client_id, client_secret },
      headers: { dpop: proof },
    })
  t.equal((await ask()).status, 200)
  t.equal((await ask()).status, 400)
  await request('POST', '/oauth/par', { body: asking(client).asked })
  await redeem(client, { code: 'x', redirect_uri: client.redirect_uri })
  await userinfo('x')
  await authorize(asking(client, { prompt: 'none' }).asked)
  for (const [endpoint, error] of [
    ['token', 'invalid_dpop_proof'],
    ['token', 'invalid_grant'],
    ['par', 'invalid_client'],
    ['userinfo', 'invalid_token'],
    ['authorize', 'login_required'],
  ] as const)
    t.equal(await figure(`oauth_refusals_total{endpoint="${endpoint}",error="${error}"}`), 1, error)
})
