import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { delivered } from '#test/support/delivered.ts'
import { until } from '#test/support/until.ts'
import type { Delivery } from './support.ts'
import { startWebhookTests } from './support.ts'

const service = await startWebhookTests()
const { adminToken, ask, deliveries, deps, hook, newUser, patience, receiver, request } = service
const settled = (id: string, status: string) =>
  until(`a delivery that is ${status}`, async () => {
    const [last] = await deliveries(id)
    return last?.status === status && last
  }) as Promise<Delivery>
/** Something that only webhooks of `tos.publish` hear of. */
const publish = () =>
  request('PUT', '/api/tos', { token: adminToken, body: { text: `Terms ${Math.random()}` } })

test('an event is delivered as Standard Webhooks says, and its signature holds', async (t) => {
  const { id, secret } = await hook('signed', ['user.create'])
  const began = Math.floor(Date.now() / 1000)
  const { uid } = await newUser(adminToken)
  const [message] = await receiver.awaited('signed')
  const event = receiver.verified(message as never, secret)
  t.match(event, { type: 'user.create', data: { action: 'user.create', target: uid, outcome: 'ok' } })
  const { headers, body } = message as NonNullable<typeof message>
  const { 'webhook-id': webhookId, 'webhook-timestamp': time, 'webhook-signature': signature } = headers
  const key = Buffer.from(secret.slice(6), 'base64')
  const mac = createHmac('sha256', key).update(`${webhookId}.${time}.${body}`).digest('base64')
  t.equal(signature, `v1,${mac}`)
  t.equal(webhookId, `evt_${event.data.id}`)
  t.notMatch(webhookId, /\./)
  t.ok(Number(time) >= began && Number(time) <= Date.now() / 1000 + 1)
  t.equal(headers['content-type'], 'application/json')
  t.match(await settled(id, 'delivered'), {
    id: webhookId,
    type: 'user.create',
    attempts: 1,
    response_status: 204,
  })
  t.throws(
    () => receiver.verified({ ...headers, ...message, body: `${body} ` } as never, secret),
    'a changed body',
  )
  t.throws(() => receiver.verified(message as never, `whsec_${Buffer.alloc(32).toString('base64')}`))
})

test('each is told of what it asked for: an action, all of a kind, or all', async (t) => {
  const patterns = {
    exact: ['user.key'],
    kind: ['user.*'],
    all: ['*'],
    none: ['group.*', 'log.*', 'user.up'],
  }
  for (const [name, events] of Object.entries(patterns)) await hook(name, events)
  const { uid } = await newUser(adminToken)
  await request('PUT', `/api/user/${uid}`, { token: adminToken, body: { givenName: 'Another' } })
  const typesAt = (name: string) => receiver.at(name).map(({ body }) => JSON.parse(body).type)
  await receiver.awaited('kind', 2)
  await until(
    'the sign-in',
    async () => typesAt('all').includes('login') && typesAt('all').includes('user.update'),
  )
  await delivered(deps)
  t.same(typesAt('kind').sort(), ['user.create', 'user.update'])
  t.same([typesAt('exact'), typesAt('none')], [[], []])
})

test('a failed message is tried again with back-off and the same webhook-id, signed for each attempt', async (t) => {
  const { id, secret } = await hook('flaky', ['tos.publish'])
  receiver.answers.set('/flaky', [500, 0])
  using _ = patience(500)
  await publish()
  const messages = await receiver.awaited('flaky', 3)
  const events = messages.map((message) => receiver.verified(message, secret))
  t.equal(new Set(messages.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.same(events[2], events[0])
  const done = await settled(id, 'delivered')
  t.match(done, { attempts: 3, response_status: 204, error: null })
  t.equal((await deliveries(id)).length, 1, 'one message, one row')
})

test('each attempt is signed with its own time, so that a late one is not taken for a replay', async (t) => {
  const { secret } = await hook('late', ['tos.publish'])
  const { backoff } = deps.config.webhooks
  deps.config.webhooks.backoff = 2500
  receiver.answers.set('/late', [500])
  await publish()
  const messages = await receiver.awaited('late', 2)
  deps.config.webhooks.backoff = backoff
  for (const message of messages) receiver.verified(message, secret)
  const [first, second] = messages.map(({ headers }) => Number(headers['webhook-timestamp']))
  t.ok(Number(second) > Number(first))
})

test('after the last attempt it has failed; the log says what was answered, and nothing secret', async (t) => {
  const { id, secret } = await hook('broken', ['tos.publish'])
  receiver.answers.set('/broken', [500, 501, 502, 503])
  await publish()
  t.match(await settled(id, 'failed'), { attempts: 4, response_status: 503, error: /503/ })
  t.equal(receiver.at('broken').length, 4)
  const { text } = await ask('GET', `/${id}/deliveries`)
  t.notOk(text.includes(secret) || text.includes('v1,'))
})

test('410 disables the webhook, and nobody tries again', async (t) => {
  const { id } = await hook('gone', ['tos.publish'])
  receiver.answers.set('/gone', [410])
  await publish()
  t.match(await settled(id, 'failed'), { attempts: 1, response_status: 410 })
  await until('disabled', async () => !(await ask('GET', `/${id}`)).body.results.enabled)
  await deps.audit.settled()
  t.match((await deps.audit.page({ action: 'webhook.disable' }, { limit: 1 })).events, [{ target: 'gone' }])
})

test('410 of an address that was replaced meanwhile does not disable its successor', async (t) => {
  const { id } = await hook('moved', ['tos.publish'])
  const old = createServer(async (_request, response) => {
    await ask('PUT', `/${id}`, { url: `${receiver.url}/moved` })
    response.writeHead(410).end()
  })
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve))
  t.teardown(() => old.close())
  await ask('PUT', `/${id}`, { url: `http://127.0.0.1:${(old.address() as AddressInfo).port}/` })
  await publish()
  t.match(await settled(id, 'failed'), { attempts: 1, response_status: 410 })
  await delivered(deps)
  t.equal((await ask('GET', `/${id}`)).body.results.enabled, true)
  await publish()
  await receiver.awaited('moved')
})

test('who is disabled is not told, nor later of what happened meanwhile; nobody is told of what was before', async (t) => {
  await publish()
  const { id } = await hook('paused', ['tos.publish'])
  const other = await hook('other', ['tos.publish'])
  await ask('PUT', `/${id}`, { enabled: false })
  await publish()
  await receiver.awaited('other')
  await ask('PUT', `/${id}`, { enabled: true })
  await publish()
  await receiver.awaited('other', 2)
  await receiver.awaited('paused')
  await delivered(deps)
  t.equal(receiver.at('paused').length, 1)
  t.equal(receiver.at('other').length, 2)
  await ask('DELETE', `/${other.id}`)
})

test('attack 35: a webhook reaches no loopback, private or link-local address unless egress.allow names it, and is not tried again', async (t) => {
  const { id } = await hook('inside', ['tos.publish'])
  const { allow } = deps.config.egress
  deps.config.egress.allow = []
  t.teardown(() => {
    deps.config.egress.allow = allow
  })
  await publish()
  t.match(await settled(id, 'failed'), { attempts: 1, response_status: null, error: /no public address/ })
  for (const url of [
    'http://localhost:1/',
    'http://10.0.0.1/',
    'http://[::ffff:169.254.169.254]/',
    'http://0x7f.1/',
  ]) {
    await ask('PUT', `/${id}`, { url })
    t.match((await ask('POST', `/${id}/test`)).body, { success: false, message: /no public address/ }, url)
  }
  t.equal(receiver.at('inside').length, 0)
})

test('with a replaced secret messages are signed with both for a day', async (t) => {
  const { id, secret } = await hook('rotated', ['tos.publish'])
  const next = (await ask('PUT', `/${id}`, { secret: null })).body.secret as string
  await publish()
  const [message] = await receiver.awaited('rotated')
  for (const each of [secret, next]) t.equal(receiver.verified(message as never, each).type, 'tos.publish')
  const record = await deps.store.webhooks.find(id)
  if (!record?.previous) throw new Error('no secret before')
  t.ok(Math.abs(record.previous.until - Date.now() - 86_400_000) < 60_000)
  t.same(deps.store.webhooks.secretsOf({ ...record, previous: { ...record.previous, until: Date.now() } }), [
    next,
  ])
})

test('the log keeps the last 100', async (t) => {
  const { id } = await hook('busy', ['nothing'])
  for (let n = 0; n < 103; n++)
    await deps.store.webhooks.note(id, {
      ...{ id: `evt_${n}`, at: n, type: 'x', status: 'delivered', attempts: 1 },
      ...{ last_attempt_at: n, response_status: 204, error: null },
    })
  const log = await deliveries(id)
  t.equal(log.length, 100)
  t.match([log[0], log.at(-1)], [{ id: 'evt_102' }, { id: 'evt_3' }])
})

/** Of five, one after another: what a pod does by itself now and then may fall into one of them. */
async function leastOf(count: () => Promise<number>): Promise<number> {
  const counts: number[] = []
  while (counts.length < 5) counts.push(await count())
  return Math.min(...counts)
}

test('an audit event costs the request no more round trips with webhooks than without', async (t) => {
  const { uid } = await newUser(adminToken)
  const change = () =>
    request('PUT', `/api/user/${uid}`, { token: adminToken, body: { givenName: `N${Math.random()}` } })
  const costs = async () => {
    await delivered(deps)
    await deps.audit.settled()
    await Promise.all([deps.accounts.find(service.admin.uid), deps.accounts.find(uid)])
    const before = (await service.roundTrips()).redis
    await change()
    await deps.audit.settled()
    return (await service.roundTrips()).redis - before
  }
  await change()
  const hooks = (await ask<{ results: { id: string }[] }>('GET')).body.results
  for (const { id } of hooks) await ask('PUT', `/${id}`, { enabled: false })
  const without = await leastOf(costs)
  for (const { id } of hooks.slice(0, 5))
    await ask('PUT', `/${id}`, { enabled: true, events: ['user.create'] })
  t.equal(await leastOf(costs), without)
})

test('while all are disabled nobody reads on, and who is enabled again is still not told of what happened meanwhile', async (t) => {
  const { id } = await hook('sleeper', ['tos.publish'])
  const hooks = (await ask<{ results: { id: string }[] }>('GET')).body.results
  for (const each of hooks) await ask('PUT', `/${each.id}`, { enabled: false })
  await publish()
  await publish()
  await deps.audit.settled()
  await ask('PUT', `/${id}`, { enabled: true })
  await publish()
  const [message] = await receiver.awaited('sleeper')
  const { results } = (
    await request<{ results: { id: string }[] }>('GET', '/api/audit?action=tos.publish', {
      token: adminToken,
    })
  ).body
  t.equal(message?.headers['webhook-id'], `evt_${results[0]?.id}`)
  await delivered(deps)
  t.equal(receiver.at('sleeper').length, 1)
})
