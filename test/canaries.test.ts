import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'ldapts'
import { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import type { Answer, RequestOptions } from '#test/support/client.ts'
import { clientOf } from '#test/support/client.ts'
import { linkIn, startMessages } from '#test/support/messages.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startPod } from '#test/support/pod.ts'
import { everywhere, storedIn } from '#test/support/redis.ts'
import type { TestServers } from '#test/support/servers.ts'
import { startTestServers } from '#test/support/servers.ts'
import document from '../docs/openapi.json' with { type: 'json' }

const canary = (name: string) => `canary-${name}-${randomBytes(24).toString('base64url')}`
const hashOf = (secret: string, encoding: 'base64url' | 'hex' = 'base64url') =>
  createHash('sha256').update(secret).digest(encoding)

const tokenIn = (text: string) => linkIn(text).split('/').at(-1)

/** Every secret that was planted, by what it is. */
const secrets = new Map<string, string>()
function plant(what: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 6) throw new Error(`no ${what}: ${secret}`)
  secrets.set(what, secret)
  return secret
}

test('no answer, no log line and no record in Redis holds a secret that was planted, at log level trace and with Redis full', async (t) => {
  await using stack = new AsyncDisposableStack()
  const servers = stack.use(await startTestServers())
  const messages = stack.use(await startMessages())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const pod = await startPod(
    {
      app_listen__port: String(port),
      app_oauth__issuer: url,
      app_oauth__jwtSecret: plant('signing secret', canary('jwt')),
      app_ldap__url: servers.ldap.url,
      app_ldap__base: servers.ldap.base,
      app_ldap__bindDN: servers.ldap.bindDN,
      app_ldap__bindPassword: plant('password of bindDN', servers.ldap.bindPassword),
      ...servers.redis.settings,
      ...{ app_ldap__timeout: '15000', app_redis__timeout: '15000' },
      app_trust_proxy: '127.0.0.1',
      app_log__level: 'trace',
      ...messages.settings,
      app_smtp__user: 'canary',
      app_smtp__pass: plant('smtp.pass', canary('smtp')),
      app_sms__authToken: plant('sms.authToken', canary('sms')),
      app_delivery__attempts: '1',
    },
    stack,
  )
  plant('password of Redis', servers.redis.password)

  // What is asked through `quiet` gives a secret away by its purpose; all other answers are looked through.
  const quiet = clientOf(url)
  const answers: { what: string; said: string }[] = []
  const request = async (method: string, path: string, options: RequestOptions = {}) => {
    const answer = await quiet.request(method, path, options)
    answers.push({ what: `${method} ${path.slice(0, 40)}`, said: everythingOf(answer) })
    return answer
  }

  const admin = plant(
    'auth token of the admin',
    await quiet.login('admin', plant('first password', pod.password)),
  )
  for (const group of ['app_sso_oauth_admin', 'app_sso_invite'])
    t.ok([200, 409].includes((await request('PUT', `/api/group/${group}/admin`, { token: admin })).status))

  // A person, with every kind of secret that a person has.
  const person = { uid: 'canary', givenName: 'Canary', sn: 'Bird', mobile: '+15550777' }
  const mail = 'canary@example.org'
  const password = plant('password', canary('password'))
  await request('POST', '/api/user/', { token: admin, body: { ...person, mail, password } })
  const token = plant('auth token', await quiet.login(person.uid, password))
  plant('hash of the auth token', hashOf(token))
  plant('hash of the auth token in hex', hashOf(token, 'hex'))
  for (const hash of await passwordHashes(servers)) plant('userPassword', hash)
  const cookie = { cookie: `latchkey=${token}` }

  await request('POST', '/api/auth/otp/request', { body: { login: person.uid, method: 'email' } })
  plant('one-time code', /\b\d{6}\b/.exec((await messages.mailTo(mail)).text)?.[0])
  await request('POST', '/api/auth/resetpassword', { body: { mail } })
  const reset = plant('reset token', tokenIn((await messages.mailTo(mail, 2)).text))
  await request('PUT', `/api/user/${person.uid}`, { token, body: { mail: `new-${mail}` } })
  const verification = plant('verification token', tokenIn((await messages.mailTo(`new-${mail}`)).text))
  await request('POST', '/api/user/invite', { token: admin, body: { mail: 'guest@example.org' } })
  plant('mail token of an invite', tokenIn((await messages.mailTo('guest@example.org')).text))
  const impersonated = await quiet.request('POST', `/api/auth/impersonate/${person.uid}`, { token: admin })
  const temporary = plant('temporary password', impersonated.body.temp_password)
  const program = { name: 'canary', scope: 'read', expires_in_days: 1 }
  const made = await quiet.request('POST', '/api/api-token', { token, body: program })
  plant('personal access token', made.body.token)
  plant('impersonated auth token', await quiet.login(person.uid, temporary))

  // An application, with every kind of secret that an application has.
  const party = relyingParty(quiet, admin)
  const client = await party.register({ name: 'Canary', skip_consent: true })
  const { client_id, client_secret } = client
  plant('client secret', client_secret)
  plant('hash of the client secret', hashOf(client_secret))
  plant('hash of the client secret in hex', hashOf(client_secret, 'hex'))
  const tokens = await party.tokensFor(client, token)
  const access = plant('access token', tokens.access_token)
  const refresh = plant('refresh token', tokens.refresh_token)
  plant('ID token', tokens.id_token)
  const code = await party.codeFor(client, token)
  plant('authorization code', code.code)
  plant('code verifier', code.code_verifier)
  const smtp = { pass: plant('posted smtp.pass', canary('posted-smtp')) }
  t.equal((await request('POST', '/api/conf', { token: admin, body: { smtp } })).status, 200)

  // Everything that can be read, as the administrator, as the person, and as the application.
  const names = { uid: person.uid, client_id, group: 'app_sso_admin', name: 'app_sso_admin' }
  for (const [path, operations] of Object.entries(document.paths))
    for (const who of [admin, token])
      if ('get' in operations && !path.endsWith('/logout'))
        for (const query of ['', '?detail']) await request('GET', filled(path, names) + query, { token: who })
  const html = { accept: 'text/html' }
  for (const path of ['/', '/login', '/logout', '/terms', '/api/docs'])
    await request('GET', path, { headers: { ...html, ...cookie } })
  // The page of a link holds its token in the form; what counts is the log.
  for (const path of [`/verify/${verification}`, `/login/resetpassword/${reset}`])
    await quiet.request('GET', path, { headers: html })
  const bearer = { authorization: `Bearer ${access}` }
  await request('GET', '/oauth/userinfo', { headers: bearer })
  await request('GET', `/oauth/userinfo?access_token=${access}`, { headers: bearer })
  await request('POST', '/oauth/introspect', { body: { token: access, client_id, client_secret } })

  // What is refused repeats nothing that was sent.
  const wrong = plant('wrong password', canary('wrong'))
  const refused: [method: string, path: string, body: Record<string, unknown>][] = [
    ['POST', '/api/auth/login', { uid: person.uid, password: wrong }],
    ['POST', '/api/auth/login', { uid: person.uid, password: `${wrong}${'x'.repeat(200)}` }],
    ['POST', '/api/auth/login', { uid: wrong, password: [wrong] }],
    ['POST', '/api/auth/otp/verify', { login: person.uid, code: wrong }],
    ['POST', `/api/auth/resetpassword/${wrong}`, { password: wrong, confirm: wrong }],
    ['PUT', '/api/user/password', { password: wrong, confirm: `${wrong}.` }],
    ['PUT', '/api/user/password', { password: wrong, confirm: wrong, current: `${wrong}.` }],
    ['POST', '/api/user/', { ...person, mail, password: wrong }],
    ['POST', '/api/user/key', { key: wrong }],
    ['POST', '/api/conf', { oauth: { jwtSecret: wrong.slice(0, 31) } }],
    ['POST', '/api/conf', { ldap: { bindPassword: wrong } }],
    [
      'POST',
      '/api/oauth/client/',
      { name: 'x', redirect_uris: ['https://x.example/'], client_secret: wrong },
    ],
    ['POST', '/oauth/token', { grant_type: 'authorization_code', client_id, client_secret: wrong, ...code }],
    [
      'POST',
      '/oauth/token',
      { grant_type: 'refresh_token', client_id, client_secret: wrong, refresh_token: refresh },
    ],
    ['POST', '/oauth/token', { grant_type: 'refresh_token', client_id, client_secret, refresh_token: wrong }],
    ['POST', '/oauth/introspect', { token: access, client_id, client_secret: wrong }],
  ]
  for (const [method, path, body] of refused) {
    const { status } = await request(method, path, { token: admin, body })
    t.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`)
  }
  const basic = { authorization: `Basic ${btoa(`${client_id}:${wrong}`)}` }
  await request('POST', '/oauth/token', {
    headers: basic,
    body: { grant_type: 'refresh_token', refresh_token: refresh },
  })
  const asked = new URLSearchParams({ client_id, id_token_hint: tokens.id_token, request_uri: wrong })
  await request('GET', `/oauth/authorize?${asked}`, { headers: { accept: 'application/json' } })

  // At rest everything is hashed or sealed, under the one prefix.
  const redis = stack.use(await servers.redis.open())
  const stored = await storedIn(redis)
  t.same(
    [...stored.keys()].filter((key) => !key.startsWith('latchkey:')),
    [],
    'keys without the prefix',
  )

  // Redis that takes no more names its command in the error: nothing of it comes out.
  await everywhere(redis, 'CONFIG', 'SET', 'maxmemory', '1')
  const failing = [
    await request('POST', '/api/auth/login', { body: { uid: 'admin', password: pod.password } }),
    await request('POST', '/api/auth/otp/request', { body: { login: person.uid, method: 'email' } }),
    await request('POST', '/api/auth/resetpassword', { body: { mail: `new-${mail}` } }),
    await request('POST', `/api/oauth/client/${client_id}/rotate`, { token: admin }),
    await request('POST', '/oauth/token', {
      body: { grant_type: 'authorization_code', client_id, client_secret, ...code },
    }),
    await request('POST', '/oauth/token', {
      body: { grant_type: 'refresh_token', client_id, client_secret, refresh_token: refresh },
    }),
    await request('POST', `/api/auth/impersonate/${person.uid}`, { token: admin }),
  ]
  t.ok(
    failing.some(({ status }) => status >= 500),
    'Redis was full',
  )
  await everywhere(redis, 'CONFIG', 'SET', 'maxmemory', '0')
  await request('GET', '/api/auth/logout', { headers: cookie })
  await request('POST', '/api/auth/logout', { token })

  await setTimeout(500)
  pod.process.kill('SIGTERM')
  await once(pod.process, 'exit')
  const log = pod.said()
  t.match(log, /"url":"\/verify\/\*{8}"/, 'requests are logged, tokens in their addresses masked')
  t.match(log, /"level":50/, 'and so are failures')
  for (const [what, secret] of secrets) {
    t.notOk(linesWith(log, secret).length, `log: ${what}: ${linesWith(log, secret)[0]?.slice(0, 400)}`)
    const telling = answers.filter(({ said }) => isToldIn(said, secret)).map(({ what }) => what)
    t.same(telling, [], `answers: ${what}`)
    // Hashes are what is stored; six digits may stand anywhere.
    if (/^hash|userPassword|one-time code/.test(what)) continue
    const holding = [...stored].filter((record) => record.join().includes(secret)).map(([key]) => key)
    t.same(holding, [], `at rest: ${what}`)
  }
})

function everythingOf({ status, headers, text }: Answer): string {
  return `${status}\n${[...headers].flat().join('\n')}\n${text}`
}

/** A code of digits is told where it stands alone: longer numbers and UUIDs hold any six digits. */
function isToldIn(text: string, secret: string): boolean {
  if (!/^\d+$/.test(secret)) return text.includes(secret)
  return new RegExp(`(?<![\\d.])${secret}(?!\\d)`).test(
    text.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, ''),
  )
}

const linesWith = (log: string, secret: string) => log.split('\n').filter((line) => isToldIn(line, secret))

function filled(path: string, names: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'nothing')
}

/** What the directory keeps of passwords, read past the service. */
async function passwordHashes({ ldap }: TestServers): Promise<string[]> {
  const client = new Client({ url: ldap.url })
  await client.bind(ldap.bindDN, ldap.bindPassword)
  const { searchEntries } = await client.search(`ou=people,${ldap.base}`, { attributes: ['userPassword'] })
  await client.unbind()
  return searchEntries.flatMap(({ userPassword }) => [userPassword ?? []].flat().map(String))
}
