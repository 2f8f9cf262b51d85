import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const token = await service.login(service.admin.uid, service.admin.password)
const { register, asking, redeem } = relyingParty(service, token)

const escaped = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)
const portOf = (of: Server) => (of.address() as AddressInfo).port
const received: { method: string; fields: Record<string, string> }[] = []
let asked: Record<string, string> = {}

/**
 * The application, on another site than ours: `/` posts its request to us by a form, `/cb` takes the answer and goes on
 * to its page at yet another origin, as a gateway before several applications does.
 */
await using server = createServer(async (incoming, outgoing) => {
  const at = new URL(String(incoming.url), 'http://application.invalid')
  outgoing.setHeader('content-type', 'text/html')
  if (at.pathname === '/cb') {
    const sent = incoming.method === 'POST' ? await text(incoming) : at.searchParams.toString()
    received.push({ method: String(incoming.method), fields: Object.fromEntries(new URLSearchParams(sent)) })
    outgoing.statusCode = 303
    outgoing.setHeader('location', `http://127.0.0.1:${portOf(server)}/home`)
    return outgoing.end()
  }
  const fields = Object.entries(asked).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  )
  if (at.pathname === '/home') return outgoing.end('<link rel="icon" href="data:,"><h1>The application</h1>')
  outgoing.end(
    `<link rel="icon" href="data:,"><form method="post" action="${service.url}/oauth/authorize">${fields.join('')}<button>Enter</button></form>`,
  )
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const site = `http://localhost:${portOf(server)}`
const redirect_uri = `${site}/cb`

/** A fresh profile at the application, which begins a request that is `changes` beside the usual. */
async function begin(javaScriptEnabled: boolean, changes: Record<string, unknown>) {
  const client = { ...(await register({ name: 'Team Wiki', redirect_uris: [redirect_uri] })), redirect_uri }
  const request = asking(client, changes)
  asked = request.asked
  received.length = 0
  const visited = await openPage(browser, site, {
    javaScriptEnabled,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 390, height: 700 },
  })
  return {
    ...visited,
    faults: () => visited.faults.filter((fault) => !/^http:\/\/127\.0\.0\.1:/.test(fault)),
    code_verifier: request.code_verifier,
    client,
  }
}

async function signIn(page: Page, { uid, password }: { uid: string; password: string }) {
  await page.getByLabel('Username or email').fill(uid)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const nonce = 'n'.repeat(9000)
await test('a request posted from another site ends there with its code, signed in before or not, by form_post and by query, with and without scripts', async (t) => {
  for (const [javaScriptEnabled, changes] of [
    [true, { response_mode: 'form_post' }],
    [false, { response_mode: 'form_post', nonce }],
    [true, { nonce }],
  ] as const) {
    const person = await service.newUser(token)
    const { page, context, faults, client, code_verifier } = await begin(javaScriptEnabled, changes)
    const ended = async (mustAsk: boolean) => {
      await page.goto('/')
      await page.getByRole('button', { name: 'Enter' }).click()
      if (mustAsk) {
        await signIn(page, person)
        await page.getByRole('button', { name: 'Allow' }).click()
      }
      if ('response_mode' in changes && !javaScriptEnabled) {
        await page.getByRole('button', { name: 'Continue' }).waitFor()
        t.ok((await overflow(page)) <= 0)
        t.match(new URL(page.url()).origin, service.url)
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await page.getByRole('heading', { name: 'The application', exact: true }).waitFor()
      const { method, fields } = received.pop() ?? {}
      t.equal(method, 'response_mode' in changes ? 'POST' : 'GET')
      t.match(fields, { state: asked.state, iss: service.url })
      const answer = await redeem(client, { code: fields?.code, code_verifier, redirect_uri })
      t.match(payloadOf(answer.body.id_token), { sub: person.uid, nonce: asked.nonce })
      t.strictSame(received, [], 'the answer came once')
    }
    await ended(true)
    const [cookie] = await context.cookies(service.url)
    t.match(cookie, { sameSite: 'Lax' })
    await ended(false) // the cookie counts although the form came from elsewhere
    t.strictSame(faults(), [])
    await context.close()
  }
})

await test('whoever does not go on, or may not be asked, gets to the application by form_post with the error', async (t) => {
  const { page, context, faults } = await begin(true, { response_mode: 'form_post' })
  await page.goto('/')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'The application', exact: true }).waitFor()
  t.match(received.pop(), { method: 'POST', fields: { error: 'access_denied', state: asked.state } })
  asked.prompt = 'none'
  await page.goto('/')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByRole('heading', { name: 'The application', exact: true }).waitFor()
  t.match(received.pop(), { method: 'POST', fields: { error: 'login_required', iss: service.url } })
  t.strictSame(faults(), [])
  await context.close()
})

await test('a sign-out asked for by an application ends at its page, wherever its target leads', async (t) => {
  const { page, context, faults } = await begin(false, {})
  const target = { post_logout_redirect_uri: `${site}/cb`, client_id: String(asked.client_id), state: 's' }
  await page.goto(`${service.url}/login`)
  await signIn(page, await service.newUser(token))
  await page.goto(`${service.url}/oauth/logout?${new URLSearchParams(target)}`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'The application', exact: true }).waitFor()
  t.match(received.pop(), { method: 'GET', fields: { state: 's' } })
  t.strictSame(await context.cookies(service.url), [])
  t.strictSame(faults(), [])
  await context.close()
})

await test('a program, and what follows no form of ours, is redirected', async (t) => {
  const client = await register({ redirect_uris: [redirect_uri], skip_consent: true })
  for (const headers of [
    { accept: 'text/html', referer: `${site}/` },
    { accept: 'text/html' },
    { accept: 'application/json', referer: `${service.url}/login` },
  ] as Record<string, string>[]) {
    const { asked } = asking({ ...client, redirect_uri })
    const answer = await service.request('GET', `/oauth/authorize?${new URLSearchParams(asked)}`, {
      token,
      headers,
    })
    t.match(answer, { status: 303 })
    t.ok(answer.headers.get('location')?.startsWith(`${redirect_uri}?code=`))
    t.equal(answer.headers.get('refresh'), null)
  }
})
