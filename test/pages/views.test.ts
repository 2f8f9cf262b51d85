import { test } from 'tap'
import type { PageOptions } from '#src/pages/render.ts'
import type { Views } from '#src/pages/views.ts'
import { account, application, cases, form, serveSamples } from './samples.ts'

await using app = await serveSamples()

await test('every page has a language, a title, one heading and no holes, and prints nothing unescaped', async (t) => {
  for (const { view, data, path } of cases) {
    const { html } = await app.renderPage(view, data)
    t.match(html, /<html lang="en">/, path)
    t.match(html, /<title>[^<]+ · Latchkey<\/title>/, path)
    t.equal(html.match(/<h1>/g)?.length, 1, path)
    t.notMatch(html, /undefined|\[object/, path)
    t.notMatch(html, /<script|<img src=x/, path)
  }
})

async function policyOf<V extends keyof Views>(view: V, data: Views[V], options?: PageOptions) {
  const { headers } = await app.renderPage(view, data, options)
  const directives = (headers['content-security-policy'] as string).split('; ')
  return Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/, 2) as [string, string]))
}

await test('the policy of a page allows no script, no frame and no inline style', async (t) => {
  t.strictSame(await policyOf('signed-out', {}), {
    'default-src': "'none'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  })
})

await test('form-action names the origin of the redirect URI, or the scheme of a native application', async (t) => {
  const formAction = [
    'https://wiki.example.org:8443/cb?x=1',
    'org.example.app:/cb',
    'not a uri',
    'https://*.example.org/cb',
  ]
  const policy = await policyOf('signed-out', {}, { formAction })
  t.equal(policy['form-action'], "'self' https://wiki.example.org:8443 org.example.app:")
})

await test('a logo is shown only over https, and the policy names its origin alone', async (t) => {
  const withLogo = (logo_uri: string): [view: 'consent', data: Views['consent']] => [
    'consent',
    { form, application: { ...application, logo_uri }, account, scopes: [] },
  ]
  for (const refused of [
    'http://wiki.example.org/l.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'nonsense',
  ]) {
    t.notMatch((await app.renderPage(...withLogo(refused))).html, refused)
    t.equal((await policyOf(...withLogo(refused)))['img-src'], "'self' data:")
  }
  const good = withLogo('https://cdn.example.org/l.png?"')
  t.match((await app.renderPage(...good)).html, '<img src="https://cdn.example.org/l.png?%22"')
  t.equal((await policyOf(...good))['img-src'], "'self' data: https://cdn.example.org")
})

await test('a page is not stored, and is told as referrer to our own pages only', async (t) => {
  const { headers } = await app.renderPage('signed-out', {})
  t.match(headers, {
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
})
