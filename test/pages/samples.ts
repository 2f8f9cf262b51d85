import fastify from 'fastify'
import type { App } from '#src/http/app-type.ts'
import { apiDocs } from '#src/pages/api-docs.ts'
import { assets } from '#src/pages/assets.ts'
import { installPages } from '#src/pages/render.ts'
import type { Views } from '#src/pages/views.ts'
import { termsHtml } from '#src/tos/markdown.ts'

const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&'
export const application = { name: 'Team Wiki', host: 'wiki.example.org' }
const longApplication = {
  name: `The Extraordinarily Long Name of the Interdepartmental Working Group ${'W'.repeat(80)}`,
  host: `${'very-long-label.'.repeat(8)}example.org`,
}
export const account = { uid: 'ada', name: 'Ada Lovelace', mail: 'ada@example.org' }
const longAccount = { uid: 'u'.repeat(100), name: 'N'.repeat(100), mail: `${'m'.repeat(64)}@example.org` }
export const form = { action: '/x', hidden: { token: hostile }, button: { name: 'b', value: 'yes' } }
const longTerms = `# Terms\n\n${'word '.repeat(400)}\n\n## Use\n\n1. one\n2. two\n\n- ${'x'.repeat(300)}\n\n| a | ${'b'.repeat(200)} |\n|---|---|\n| 1 | 2 |\n\n\`\`\`\n${'c'.repeat(300)}\n\`\`\``
const ways = { code: '/login/code', forgotten: '/login/resetpassword' }
const step = { form, left: 1, leave: { form, label: 'Sign out' } }
const longStep = { ...step, left: 3, application: longApplication, error: hostile }

/** Each page at its barest, as usual, and with the longest and most hostile of contents. */
const samples: { [V in keyof Views]: Views[V][] } = {
  'sign-in': [
    { form: { action: '/login' } },
    {
      form,
      application,
      uid: 'ada',
      error: 'The username or password is not correct.',
      cancel: form,
      ...ways,
    },
    { form, application: longApplication, uid: 'u'.repeat(100), error: hostile, ...ways },
  ],
  'code-request': [
    { form, method: 'email', password: '/login' },
    {
      form,
      method: 'sms',
      password: '/login',
      login: hostile,
      application: longApplication,
      cancel: form,
      error: hostile,
    },
  ],
  'code-entry': [
    { form, method: 'email', login: 'ada', minutes: 10, another: form, password: '/login' },
    {
      form,
      method: 'sms',
      login: longAccount.uid,
      minutes: 10,
      another: form,
      password: '/login',
      application,
    },
    {
      ...{ form, method: 'email', login: hostile, minutes: 10, another: form, password: '/login' },
      ...{ application: longApplication, cancel: form, error: hostile },
    },
  ],
  'reset-request': [{ form }, { form, mail: hostile, error: hostile }],
  'reset-sent': [{ mail: account.mail }, { mail: hostile }],
  'reset-form': [{ form }, { form, error: hostile }],
  'reset-done': [{}],
  'invite-mail': [
    { form, bound: false },
    { form, bound: true, mail: hostile, error: hostile },
  ],
  'invite-sent': [{ mail: account.mail }, { mail: longAccount.mail }],
  'invite-form': [
    { form, mail: account.mail, typed: {}, suggestions: [] },
    {
      ...{ form, mail: longAccount.mail, error: hostile, suggestions: ['u'.repeat(32), 'ada.lovelace'] },
      typed: { uid: hostile, givenName: hostile, sn: longAccount.name },
    },
  ],
  'choose-account': [
    { form, application, account },
    { form, application: longApplication, account: longAccount, hint: hostile },
  ],
  consent: [
    { form, application, account, scopes: ['openid'] },
    { form, application, account, scopes: ['openid', 'profile', 'email', 'groups'], switch: form },
    {
      form,
      application: longApplication,
      account: longAccount,
      scopes: ['openid', 'offline_access', 'admin:all', `https://example.org/${'s'.repeat(80)}`, hostile],
      switch: form,
    },
  ],
  'group-required': [
    { application, account, groups: ['wiki'], switch: form },
    { application: longApplication, account: longAccount, groups: ['g'.repeat(64), hostile] },
  ],
  'device-code': [
    { form },
    { form, code: 'BCDF-GHJK' },
    { form, code: hostile.slice(0, 32), error: hostile },
  ],
  'device-confirm': [
    { form, switch: form, application, account, scopes: ['openid'], code: 'BCDF-GHJK', address: '' },
    {
      ...{ form, switch: form, application: longApplication, account: longAccount },
      ...{ scopes: ['openid', 'email', 'offline_access', 's'.repeat(80), hostile] },
      ...{ code: 'WXZW-XZWX', address: '2001:db8:1234:5678::/64' },
    },
  ],
  'device-done': [
    { allowed: true, application, account },
    { allowed: false },
    { allowed: true, application: longApplication, account: longAccount },
  ],
  error: [
    { status: 400, name: 'InvalidRedirectURI', message: 'The redirect URI is not registered.' },
    { status: 404, name: 'NotFound', message: hostile, back: { href: '/', label: hostile } },
    { status: 502, name: 'UpstreamFailure', message: 'Try again later.' },
  ],
  'sign-out': [{ form }, { form, stay: form, application, account }],
  'form-post': [{ form: { action: '/x', hidden: { code: 'c', state: hostile } } }],
  'lead-on': [{ href: 'https://wiki.example.org/cb?code=c' }],
  'signed-out': [{}, { back: { href: '/', label: longApplication.name } }],
  home: [
    { account, signOut: form, terms: false },
    { account: longAccount, signOut: form, terms: true },
  ],
  'api-docs': [
    apiDocs({
      info: { version: '1' },
      paths: {
        '/api/x/{id}': {
          get: { tags: ['x'], summary: hostile, responses: { 404: { description: hostile } } },
        },
      },
    }),
  ],
  terms: [
    {
      html: await termsHtml({ version: 1, text: `Be kind.\n\n${hostile}` }),
      version: 1,
      since: 1_700_000_000_000,
    },
    { html: await termsHtml({ version: 2, text: longTerms }), version: 2, since: 1_700_000_000_000 },
  ],
  'step-terms': [
    { ...step, html: await termsHtml({ version: 1, text: 'Be kind.' }), version: 1 },
    { ...longStep, html: await termsHtml({ version: 2, text: longTerms }), version: 2 },
  ],
  'step-birth': [
    { ...step, today: '2026-01-01' },
    { ...longStep, today: '2026-01-01' },
  ],
  'step-password': [
    { ...step, uid: 'ada' },
    { ...longStep, uid: hostile },
  ],
  verify: [
    { form, kind: 'mail', address: account.mail },
    { form, kind: 'mobile', address: hostile },
  ],
  verified: [
    { kind: 'mobile', address: '+49 30 123456' },
    { kind: 'mail', address: longAccount.mail },
  ],
}

/** Every sample with the path that `serveSamples` shows it at. */
export const cases = Object.entries(samples).flatMap(([view, all]) =>
  all.map((data, at) => ({
    view: view as keyof Views,
    data: data as Views[keyof Views],
    path: `/${view}/${at}`,
  })),
)

/** Pages as the service makes them, each sample at its path once it listens. */
export async function serveSamples() {
  const app = fastify() as unknown as App
  await installPages(app, { config: { branding: { name: 'Latchkey', logo: '' } } } as Parameters<
    typeof installPages
  >[1])
  await app.register(assets)
  for (const { view, data, path } of cases) app.get(path, (_request, reply) => reply.page(view, data))
  return app
}
