import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { signIn } from './party.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register, userinfo } = relyingParty(service, adminToken)

/** Serves the application's page everywhere, and the library as its package ships it for browsers. */
async function startApplication() {
  const library = import.meta
    .resolve('oidc-client-ts')
    .replace(/\/dist\/.*$/, '/dist/browser/oidc-client-ts.min.js')
  const [page, script] = await Promise.all([
    readFile(new URL('oidc-client-ts-party.html', import.meta.url)),
    readFile(new URL(library)),
  ])
  const server = createServer((request, response) => {
    const isScript = request.url === '/oidc-client-ts.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The same pages as another origin, which no client has registered. */
    foreign: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

type User = {
  profile: Record<string, unknown>
  access_token: string
  refresh_token: string
  id_token: string
  url_state: string
}

async function shown<T = User>(page: Page): Promise<T> {
  await page.locator('#shown:not(:empty)').waitFor()
  return JSON.parse((await page.locator('#shown').textContent()) ?? '') as T
}

await test('oidc-client-ts, a public client in Chromium, signs in by redirect, renews by rotated refresh token across origins, signs out and comes back', async (t) => {
  const person = await service.newUser(adminToken)
  await using application = await startApplication()
  const { url, foreign } = application
  const client = await register({
    name: 'Single page',
    public: true,
    redirect_uris: [`${url}/cb`],
    post_logout_redirect_uris: [`${url}/bye`],
  })
  t.equal(client.client_secret, 'undefined', 'a public client has no secret')
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/?${service.url}&${client.client_id}`)
  await page.getByRole('button', { name: 'Enter' }).click()
  await signIn(page, person, 'Single page')
  await page.waitForURL((at) => at.pathname === '/cb')
  const first = await shown(page)
  t.match(first, {
    profile: { sub: person.uid, email: person.mail, groups: [] },
    url_state: 'where I was',
  })
  t.match(payloadOf(first.id_token), { iss: service.url, aud: client.client_id, sub: person.uid })

  let last = first
  for (const time of ['first', 'second']) {
    await page.getByRole('button', { name: 'Renew' }).click()
    const renewed = await shown(page)
    t.not(renewed.refresh_token, last.refresh_token, `rotated at the ${time} renewal`)
    t.not(renewed.access_token, last.access_token)
    t.match(renewed.profile, { sub: person.uid, email: person.mail })
    last = renewed
  }
  t.equal((await userinfo(last.access_token)).status, 200)

  const tryFrom = async (origin: string) => {
    const other = await context.newPage()
    await other.goto(`${origin}/?${service.url}&${client.client_id}`)
    const asked = { at: `${service.url}/oauth/userinfo`, token: last.access_token }
    const answer = await other.evaluate(async ({ at, token }) => {
      const headers = { authorization: `Bearer ${token}` }
      return fetch(at, { headers }).then(
        ({ status }) => status,
        () => 'blocked',
      )
    }, asked)
    await other.close()
    return answer
  }
  t.equal(await tryFrom(url), 200)
  t.equal(await tryFrom(foreign), 'blocked', 'an origin of no redirect URI reads nothing')

  await page.getByRole('button', { name: 'Leave' }).click()
  await page.locator('button[name=logout][value=yes]').click()
  await page.waitForURL((at) => at.origin === url && at.pathname === '/bye')
  t.same(await shown(page), { left: { left: 'from here' }, user: null })
  t.equal((await userinfo(last.access_token)).status, 401)
  await page.goto(`${url}/?${service.url}&${client.client_id}`)
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.locator('input[name=password]').waitFor()
  await context.close()
})
