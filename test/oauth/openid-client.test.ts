import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { freePort, startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, adminToken)

/** The relying party as a process of its own, with its own HTTP server. */
async function startRelyingParty() {
  const port = await freePort()
  const client = await register({ name: 'Relying party', redirect_uris: [`http://127.0.0.1:${port}/cb`] })
  const { client_id, client_secret } = client
  const program = new URL('relying-party.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, service.url, client_id, client_secret, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    ...client,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'close')
    },
  }
}

await test('openid-client gets verified tokens: discovery, login, consent, code with PKCE, verified RS256 ID token, userinfo, refresh', async (t) => {
  const { uid, password, mail } = await service.newUser(adminToken, { givenName: 'Grace', sn: 'Hopper' })
  await service.request('POST', '/api/group/', { token: adminToken, body: { name: 'navy', description: '' } })
  await service.request('PUT', `/api/group/navy/${uid}`, { token: adminToken })
  await using party = await startRelyingParty()
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.7' } })
  const page = await context.newPage()

  await page.goto(party.url)
  await page.locator('input[name=uid]').fill(uid)
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Relying party').first().waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL((at) => at.href.startsWith(`${party.url}/cb`))
  const result = JSON.parse((await page.locator('body').textContent()) ?? '')
  const person = {
    ...{
      sub: uid,
      preferred_username: uid,
      name: 'Grace Hopper',
      given_name: 'Grace',
      family_name: 'Hopper',
    },
    ...{ email: mail, groups: ['navy'] },
  }
  t.match(result.header, { alg: 'RS256', kid: String })
  t.match(result.claims, { ...person, iss: service.url, aud: party.client_id })
  t.same(result.userinfo, person)

  await page.goto(`${party.url}/refresh`)
  const refreshed = JSON.parse((await page.locator('body').textContent()) ?? '')
  t.equal(refreshed.rotated, true)
  t.match(refreshed.claims, { sub: uid, aud: party.client_id })
  t.same(refreshed.userinfo, person)

  await page.goto(party.url)
  await page.waitForURL((at) => at.href.startsWith(`${party.url}/cb`))
  t.match(await page.locator('body').textContent(), uid, 'the second time nobody is asked anything')
  await context.close()
})
