import tap, { test } from 'tap'
import { permissionGroups } from '#src/http/access.ts'
import { everywhere } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import manifest from '../../package.json' with { type: 'json' }

const service = await startTestService()
const { request } = service
tap.teardown(() => service[Symbol.asyncDispose]())

test('GET /healthz answers for the process', async (t) => {
  t.match(await request('GET', '/healthz'), { status: 200, body: { status: 'ok' } })
})

test('GET /readyz says that LDAP and Redis answer, and warns when persistence is off', async (t) => {
  const { status, body } = await request<{ warnings: string[] }>('GET', '/readyz')
  t.equal(status, 200)
  t.match(body, { status: 'ready', ldap: 'ok', redis: 'ok', warnings: [] })
  const { redis } = service.deps.store
  await everywhere(redis, 'CONFIG', 'SET', 'appendonly', 'no')
  await everywhere(redis, 'CONFIG', 'SET', 'save', '')
  await everywhere(redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  await using pod = await service.secondPod()
  const warned = await pod.request<{ warnings: string[] }>('GET', '/readyz')
  t.equal(warned.status, 200)
  t.match(warned.body.warnings.join(' '), /keeps nothing on disk/)
  t.match(warned.body.warnings.join(' '), /noeviction/)
})

test('GET /api/status tells admins how the service and what is behind it are doing', async (t) => {
  const token = await service.login(service.admin.uid, service.admin.password)
  await using _pod = await service.secondPod()
  const { status, body } = await request<{
    results: { signing_keys: { algorithm: string; state: string; signs_from: number }[] }
  }>('GET', '/api/status', { token })
  t.equal(status, 200)
  t.match(body.results, {
    ldap: { status: 'ok', lacks: [] },
    redis: { status: 'ok', persistence: String, warnings: Array },
    mail: 'not configured',
    sms: 'not configured',
    pods: 2,
    jobs: { delivery: { waiting: 0, failed: 0 }, plugins: { waiting: 0, failed: 0 } },
  })
  const keys = body.results.signing_keys
  const signing = keys.filter(({ state }) => state === 'signing').map(({ algorithm }) => algorithm)
  t.same(signing.sort(), ['ES256', 'EdDSA', 'RS256'], 'one of each')
  t.ok(keys.every(({ state, signs_from }) => (state === 'coming') === signs_from > Date.now()))
})

test('GET /metrics speaks Prometheus with label values from closed sets', async (t) => {
  await request('GET', '/api/user/some-uid-nobody-has')
  await request('GET', '/nothing/here')
  const { status, headers, text } = await request('GET', '/metrics')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /text\/plain/)
  t.match(text, /http_request_duration_seconds_bucket\{.*route="\/api\/user\/:uid"/)
  t.match(text, /upstream_round_trips_total\{system="ldap"\} \d+/)
  t.notMatch(text, /some-uid-nobody-has|nothing\/here/)
})

test('GET /api/openapi.json describes the routes', async (t) => {
  const { body } = await request<{
    openapi: string
    info: { version: string }
    paths: Record<string, unknown>
  }>('GET', '/api/openapi.json')
  t.match(body.openapi, /^3\.1/)
  t.equal(body.info.version, manifest.version, 'the document carries the version')
  t.ok(body.paths['/api/auth/login'])
})

test('GET /api/docs shows the API to people, on a page without scripts', async (t) => {
  const { status, headers, text } = await request('GET', '/api/docs', { headers: { accept: 'text/html' } })
  t.equal(status, 200)
  t.match(headers.get('content-type'), /text\/html/)
  for (const path of ['/api/auth/login', '/api/user/{uid}', '/api/oauth/client/{client_id}/rotate'])
    t.match(text, path)
  t.match(text, manifest.version)
  t.notMatch(text, '<script')
})

test('the first start makes the four app_sso_* groups; the first administrator is member and owner of each and must change the password', async (t) => {
  const token = await service.login(service.admin.uid, service.admin.password)
  const { body: me } = await request<{ dn: string; password_must_change: boolean }>('GET', '/api/user/me', {
    token,
  })
  t.equal(me.password_must_change, true)
  t.ok(service.admin.password.length >= 16, 'the password is generated')
  for (const name of permissionGroups) {
    const { body } = await request<{ results: { member: string[]; owner: string[] } }>(
      'GET',
      `/api/group/${name}`,
      { token },
    )
    t.match(body.results, { member: [me.dn], owner: [me.dn] }, name)
  }
  await using again = await service.secondPod()
  t.equal(again.firstAdmin, undefined, 'a second start makes nobody and shows no password')
})

test('HEAD is answered wherever GET is, without a body (RFC 9110 section 9.1)', async (t) => {
  for (const path of ['/healthz', '/readyz', '/.well-known/openid-configuration', '/oauth/jwks', '/login']) {
    const { status, text } = await request('HEAD', path)
    t.equal(status, 200, path)
    t.equal(text, '')
  }
})
