import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { imageCommand } from '#deploy/bundle.ts'
import { freePort } from '#quickstart/child.ts'
import { builtService } from '#test/support/bundle.ts'
import { clientOf } from '#test/support/client.ts'
import { startMessages } from '#test/support/messages.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestServers } from '#test/support/servers.ts'
import { until } from '#test/support/until.ts'
import { startReceiver } from '#test/webhook/receiver.ts'

const project = join(import.meta.dirname, '../..')

const stack = new AsyncDisposableStack()
tap.teardown(() => stack.disposeAsync())
const { ldap, redis } = stack.use(await startTestServers())
const messages = stack.use(await startMessages())
const receiver = stack.use(await startReceiver())
const { entry } = stack.use(await builtService())
const port = String(await freePort())
const url = `http://127.0.0.1:${port}`
const pod = await startPod(
  {
    app_listen__port: port,
    app_oauth__issuer: url,
    app_oauth__jwtSecret: 'a secret of the tests, long enough for one',
    app_ldap__url: ldap.url,
    app_ldap__base: ldap.base,
    app_ldap__bindDN: ldap.bindDN,
    app_ldap__bindPassword: ldap.bindPassword,
    ...{ app_ldap__password__memory: '1024', app_ldap__password__passes: '1' },
    app_trust_proxy: '127.0.0.1',
    app_onboarding__needs: '',
    app_egress__allow: '127.0.0.1',
    ...redis.settings,
    ...messages.settings,
  },
  stack,
  { entry },
)
const { request, login, newUser } = clientOf(url)
const token = await login('admin', pod.password)

test('the image starts what npm run build makes', async (t) => {
  t.same(await imageCommand(), ['node', 'dist/service/main.js'])
  t.equal(entry.replace(/[^/]+\/main\.js$/, 'service/main.js'), join(project, 'dist/service/main.js'))
})

test('what the image starts: its sign-in page, style sheet and API document are found from where it stands', async (t) => {
  const page = await request('GET', '/login', { headers: { accept: 'text/html' } })
  t.match(page, { status: 200, text: /<form(.|\n)*password/ })
  const [, sheet = ''] = /href="([^"]+\.css[^"]*)"/.exec(page.text) ?? []
  t.match(await request('GET', sheet), { status: 200, text: /\{/ })
  const document = await readFile(join(project, 'docs/openapi.json'), 'utf8')
  t.same((await request('GET', '/api/openapi.json')).body, JSON.parse(document))
})

test('what the image starts: a code flow with userinfo', async (t) => {
  const { uid, token: own } = await newUser(token)
  const app = relyingParty({ request }, token)
  const { access_token } = await app.tokensFor(await app.register(), own)
  t.match(await app.userinfo(access_token), { status: 200, body: { preferred_username: uid } })
})

test('what the image starts: the packages that it loads when they are needed', async (t) => {
  const ask = (method: string, path: string, body: object) =>
    request<{ results: { html: string; id: string } }>(method, path, { token, body })
  t.match((await ask('POST', '/api/tos/preview', { text: '# Rules' })).body.results.html, '<h2>Rules</h2>')
  const message = '<b>Hello</b><script>alert(1)</script>'
  const preview = await ask('POST', '/api/notification/preview', { subject: 'Hi', message })
  t.match(preview.body.results.html, '<b>Hello</b>')
  t.notMatch(preview.body.results.html, '<script')
  const config = { url: `${receiver.url}/asked` }
  const plugin = { pluginType: 'discovery/http-check', name: 'asked', cron: '0 4 * * *', config }
  const { id } = (await ask('POST', '/api/plugins', plugin)).body.results
  t.match(
    (await ask('POST', `/api/plugins/${id}/test`, {})).body,
    { success: true },
    'in a process of its own',
  )
  const { mail } = await newUser(token)
  await request('POST', '/api/auth/resetpassword', { body: { mail } })
  t.match(await messages.mailTo(mail), { text: /http/ }, 'a job sends the mail')
})

test('what the image starts: it ends when it is told to, and logged no error', async (t) => {
  pod.process.kill('SIGTERM')
  await until('it ended', async () => pod.process.exitCode === 0)
  const levels = pod
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { level: number }).level)
  t.ok(levels.length > 0)
  t.ok(
    levels.every((level) => level < 50),
    pod.said(),
  )
})
