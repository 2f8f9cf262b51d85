import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { parse } from 'yaml'
import { startMessages } from '#test/support/messages.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { project } from './manifests.ts'

const messages = await startMessages()
const service = await startTestService(messages.settings)
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await messages[Symbol.asyncDispose]()
})
const { request } = service
const metrics = async () => (await request('GET', '/metrics')).text
const admin = await service.login(service.admin.uid, service.admin.password)

// Something of each kind that is counted only once it was there.
const party = relyingParty(service, admin)
const client = await party.register()
await party.redeem(client, await party.codeFor(client, admin))
await request('POST', '/oauth/token', {
  body: { grant_type: 'authorization_code', client_id: client.client_id },
})
await request('POST', '/oauth/device/authorize', { body: { client_id: client.client_id } })
const device = await party.register({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] })
await request('POST', '/oauth/device/authorize', {
  body: { client_id: device.client_id, client_secret: device.client_secret },
})
const { uid } = await service.newUser(admin)
await request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })
await until('the mail is counted', async () => (await metrics()).includes('deliveries_total{'))
await until('the groups are in memory', async () => service.deps.directory.graphIsLive)

type Gauge = { values: { labels: { lane: string; state: 'running' | 'waiting' }; value: number }[] }
type Series = { name: string; labels: Set<string> }
const dashboard = JSON.parse(await readFile(join(project, 'deploy/grafana/latchkey.json'), 'utf8'))
const alerts = parse(await readFile(join(project, 'deploy/prometheus/alerts.yaml'), 'utf8'))

/** Names of metrics in a query, with the labels that it selects or groups by. */
function askedFor(query: string): Series[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/))
  const ours = grouped.filter((name) => !['instance', 'job'].includes(name))
  return [...query.matchAll(/\b([a-z]\w+_\w+|jobs)\b(?:\{([^}]*)\})?/g)]
    .filter(([, name]) => name !== 'histogram_quantile' && name !== '__rate_interval')
    .filter(([, name = '']) => !grouped.includes(name))
    .map(([, name = '', selected = '']) => {
      const labels = [...selected.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
      return { name, labels: new Set([...labels.filter((label) => label !== 'job'), ...ours]) }
    })
}

function hasSeries(text: string, { name, labels }: Series): boolean {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .some((line) => [...labels].every((label) => line.includes(`${label}="`)))
}

test('every metric and label that the dashboard asks for is told at /metrics', async (t) => {
  const text = await metrics()
  const queries = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  t.ok(queries.length > 15)
  for (const query of queries)
    for (const series of askedFor(query))
      t.ok(hasSeries(text, series), `${series.name} ${[...series.labels]} in ${query}`)
  const [variable] = dashboard.templating.list.filter(({ name }: { name: string }) => name === 'job')
  t.match(text, new RegExp(`^${/label_values\((\w+),/.exec(variable.query.query)?.[1]}\\b`, 'm'))
  t.notOk(
    hasSeries(text, { name: 'jobs', labels: new Set(['colour']) }),
    'a label that there is none of is found',
  )
})

test('every metric that an alert asks for is told at /metrics, and every alert is explained', async (t) => {
  const text = await metrics()
  const page = await readFile(join(project, 'docs/operations.md'), 'utf8')
  for (const { alert, expr } of alerts.groups[0].rules as { alert: string; expr: string }[]) {
    for (const series of askedFor(expr))
      if (series.name !== 'up')
        t.ok(hasSeries(text, series), `${series.name} ${[...series.labels]} of ${alert}`)
    t.match(page, `\`${alert}\``, 'docs/operations.md says what to do')
  }
})

/** The value of the series that begins so. */
const figure = async (line: string) =>
  Number(
    (await metrics())
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.split(' ')
      .at(-1),
  )

test('how long the directory and Redis take, and who waits for a password check, is told', async (t) => {
  const binds = 'upstream_duration_seconds_count{system="ldap",operation="bind"}'
  const before = await figure(binds)
  await service.login(service.admin.uid, service.admin.password)
  t.equal(await figure(binds), before + 1)
  for (const operation of ['system="ldap",operation="other"', 'system="redis",operation="flush"']) {
    t.ok((await figure(`upstream_duration_seconds_count{${operation}}`)) > 0, operation)
    t.ok((await figure(`upstream_duration_seconds_sum{${operation}}`)) > 0, operation)
  }
  t.equal(await figure('upstream_connections{system="ldap"}'), 2)
  t.equal(await figure('upstream_connections{system="redis"}'), 1)
  const person = await service.deps.users.find(service.admin.uid)
  const checks = Array.from({ length: 40 }, () => service.deps.users.verifyPassword(person, 'wrong'))
  const most = { running: 0, waiting: 0 }
  const gauge = service.deps.metrics.registry.getSingleMetric('ldap_turns')
  const all = Promise.all(checks).then(() => true)
  while (!(await Promise.race([all, nextTurn(false)]))) {
    const figures = (await gauge?.get()) as unknown as Gauge
    for (const { labels, value } of figures.values)
      if (labels.lane === 'checks') most[labels.state] = Math.max(most[labels.state], value)
  }
  t.equal(most.running, 2, 'as many as app_ldap__pool__binds')
  t.ok(most.waiting > 2 && most.waiting <= 38, 'the others wait')
  await until('nobody waits', async () => (await figure('ldap_turns{lane="checks",state="running"}')) === 0)
  t.equal(await figure('ldap_turns{lane="checks",state="waiting"}'), 0)
})

test('durations are those that were waited for, in seconds', async (t) => {
  const { servers } = service
  const asked = 'http_request_duration_seconds_sum{method="GET",route="/api/group",status="200"}'
  for (const [system, server, series] of [
    ['ldap', servers.ldap, 'upstream_duration_seconds_sum{system="ldap",operation="other"}'],
    ['redis', servers.redis, 'upstream_duration_seconds_sum{system="redis",operation="flush"}'],
  ] as const) {
    await request('GET', '/api/group/', { token: admin })
    const figures = () => Promise.all([series, series.replace('_sum', '_count'), asked].map(figure))
    const before = await figures()
    const sent = (await service.roundTrips())[system]
    const from = performance.now()
    server.signal('SIGSTOP')
    const answer = request('GET', '/api/group/', { token: admin })
    while ((await service.roundTrips())[system] === sent) await nextTurn()
    await pause(150) // it is on its way, and nobody answers
    server.signal('SIGCONT')
    t.equal((await answer).status, 200)
    const whole = (performance.now() - from) / 1000
    const after = await figures()
    const [seconds = 0, trips = 0, took = 0] = after.map((value, at) => value - (before[at] as number))
    t.ok(
      seconds >= 0.14 && seconds < trips * (whole + 1),
      `${trips} to ${system}: ${seconds} of ${whole} seconds`,
    )
    t.ok(took >= 0.14 && took <= whole, `the request took ${took} of ${whole} seconds`)
  }
})

test('a connection that is lost is told while it is, and /metrics is answered without Redis too', async (t) => {
  const { ldap, redis } = service.servers
  const connections = (system: string) => figure(`upstream_connections{system="${system}"}`)
  await ldap.kill()
  await until('no connection to the directory', async () => (await connections('ldap')) === 0)
  t.equal(await connections('redis'), 1)
  await ldap.start()
  await until('it is back', async () => (await connections('ldap')) === 2)
  await redis.kill()
  await until('no connection to Redis', async () => (await connections('redis')) === 0)
  const { status, text } = await request('GET', '/metrics')
  t.equal(status, 200)
  t.notMatch(text, /^jobs\{queue="delivery"/m, 'what is not known is left out')
  await redis.start()
  await until('it is back', async () => (await connections('redis')) === 1)
  await until('jobs are counted again', async () => /^jobs\{queue="delivery"/m.test(await metrics()))
})

test('a pod that answers groups by searches says so', async (t) => {
  await until('the groups are in memory', async () => (await figure('ldap_group_graph_live')) === 1)
  await using pod = await service.secondPod({ app_ldap__groups__graph: 'false' })
  t.match((await pod.request('GET', '/metrics')).text, /^ldap_group_graph_live 0$/m)
})
