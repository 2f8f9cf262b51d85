import { randomBytes } from 'node:crypto'
import { test } from 'tap'
import { startWebhookTests } from './support.ts'

const { adminToken, ask, deliveries, deps, hook, newUser, patience, receiver, request, servers } =
  await startWebhookTests()
const given = { url: 'https://hooks.example/in', events: ['user.*', 'login'] }
const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`

test('POST /api/webhooks makes one; the secret that is made for it is shown this once, and masked ever after', async (t) => {
  const made = await ask('POST', '', { name: 'first', ...given })
  t.match(made, {
    status: 200,
    body: { results: { name: 'first', ...given, enabled: true, secret: '********' } },
  })
  t.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { id } = made.body.results
  const reads = [await ask('GET'), await ask('GET', `/${id}`), await ask('PUT', `/${id}`, { enabled: false })]
  for (const { text, status } of reads) {
    t.equal(status, 200)
    t.match(text, /\*{8}/)
    t.notOk(text.includes((made.body.secret as string).slice(6, 20)))
  }
  t.match((await ask('GET', `/${id}`)).body.results, { enabled: false, name: 'first' })
})

test('a secret that is given is kept and not repeated; blank and mask leave it, null makes a new one', async (t) => {
  const secret = secretOf(24)
  const made = await ask('POST', '', { name: 'given', ...given, secret })
  t.equal(made.body.secret, undefined)
  t.notOk(made.text.includes(secret))
  const { id } = made.body.results
  const kept = async () => deps.store.webhooks.secretsOf((await deps.store.webhooks.find(id)) as never)
  for (const same of ['', '********']) {
    t.equal((await ask('PUT', `/${id}`, { secret: same })).status, 200)
    t.same(await kept(), [secret])
  }
  const renewed = await ask('PUT', `/${id}`, { secret: null })
  t.same(await kept(), [renewed.body.secret, secret], 'the old one signs beside it for a day')
  const last = secretOf(64)
  t.equal((await ask('PUT', `/${id}`, { secret: last })).body.secret, undefined)
  t.same(await kept(), [last, renewed.body.secret])
})

test('Redis holds no secret of a webhook in clear', async (t) => {
  const { secret, id } = await hook('sealed')
  const stored = await deps.store.redis.hget(deps.store.keys.durable('webhook', 'records'), id)
  t.match(stored, /sealed/)
  t.notOk(stored?.includes(secret.slice(6, 20)))
  t.ok(servers)
})

test('PUT /api/webhooks/:id changes what is given; two webhooks never share a name, whatever its case', async (t) => {
  const [one, two] = [await hook('one'), await hook('two')]
  const changed = await ask('PUT', `/${one.id}`, { name: 'uno', events: ['*'] })
  t.match(changed.body.results, { id: one.id, name: 'uno', events: ['*'], url: one.url })
  const taken = { status: 409, body: { name: 'AlreadyExists' } }
  t.match(await ask('PUT', `/${two.id}`, { name: 'UNO' }), taken)
  t.match(await ask('POST', '', { name: 'Uno', ...given }), taken)
  t.equal((await ask('POST', '', { name: 'one', ...given })).status, 200, 'a name that was left is free')
  const racing = await Promise.all(
    Array.from({ length: 10 }, () => ask('POST', '', { name: 'race', ...given })),
  )
  t.equal(racing.filter(({ status }) => status === 200).length, 1)
  const both = [{ name: 'both' }, { events: ['login'] }]
  await Promise.all(both.map((change) => ask('PUT', `/${two.id}`, change)))
  t.match(
    (await ask('GET', `/${two.id}`)).body.results,
    { name: 'both', events: ['login'] },
    'neither is lost',
  )
})

test('DELETE /api/webhooks/:id removes it with its log, and frees its name', async (t) => {
  const { id } = await hook('short')
  await ask('POST', `/${id}/test`)
  t.equal((await deliveries(id)).length, 1)
  t.match(await ask('DELETE', `/${id}`), { status: 200, body: { results: true } })
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['POST', '/test'],
    ['DELETE', ''],
  ] as const)
    t.match(await ask(method, `/${id}${path}`), { status: 404, body: { name: 'NotFound' } }, method + path)
  t.match(await ask('PUT', `/${id}`, { name: 'back' }), { status: 404 })
  await hook('short')
})

test('bad names, addresses, patterns and secrets are refused, naming the field', async (t) => {
  const bad: Record<string, unknown[]> = {
    name: ['', ' ', 'a\nb', 7, 'x'.repeat(65)],
    url: [
      '',
      'x',
      'ftp://a.example/',
      'javascript:alert(1)',
      'https://u:p@a.example/',
      'https://a.example/#x',
    ],
    events: [[], ['user*'], ['*.*'], ['User.create'], ['a', 'a'], 'login', ['.'], [7]],
    secret: [
      'short',
      'whsec_',
      `whsec_${'x'.repeat(20)}`,
      secretOf(23),
      secretOf(65),
      `whsec_${'%'.repeat(40)}`,
    ],
  }
  const { id } = await hook('good')
  for (const [field, values] of Object.entries(bad))
    for (const value of values) {
      const refused = { status: 400, body: { name: 'InvalidInput', message: new RegExp(field) } }
      t.match(await ask('POST', '', { name: 'bad', ...given, [field]: value }), refused, `${field} ${value}`)
      if (value !== '' || field !== 'secret')
        t.match(await ask('PUT', `/${id}`, { [field]: value }), refused, `PUT ${field} ${value}`)
    }
  t.match(await ask('POST', '', { name: 'x', ...given, created_by: 'me' }), { status: 400 })
})

test('POST /api/webhooks/:id/test sends one message now and answers its outcome, also where it is disabled', async (t) => {
  const { id, secret } = await hook('ping', ['*'], { enabled: false })
  const ok = await ask<{ success: boolean; results: object }>('POST', `/${id}/test`)
  t.match(ok.body, {
    success: true,
    results: { type: 'webhook.ping', status: 'delivered', response_status: 204 },
  })
  const [message] = receiver.at('ping')
  t.match(receiver.verified(message as never, secret), { type: 'webhook.ping', data: { webhook: 'ping' } })
  receiver.answers.set('/ping', [500, 302, 0])
  for (const [response_status, error] of [
    [500, /500/],
    [302, /302/],
    [null, /does not answer/],
  ] as const) {
    using _ = patience(response_status ? 10_000 : 500)
    const { body } = await ask<{ success: boolean; message: string; results: object }>('POST', `/${id}/test`)
    t.match(body, { success: false, message: error, results: { status: 'failed', response_status, error } })
  }
  t.equal(receiver.at('elsewhere').length, 0, 'no redirect is followed')
  t.equal((await deliveries(id)).length, 4)
})

test('changes and tests of webhooks are audited, without their secrets', async (t) => {
  const { id, secret } = await hook('audited', ['login'])
  await ask('PUT', `/${id}`, { secret: null })
  await ask('POST', `/${id}/test`)
  await ask('DELETE', `/${id}`)
  await deps.audit.settled()
  const { body, text } = await request<{ results: object[] }>('GET', '/api/audit?target=audited', {
    token: adminToken,
  })
  t.match(body.results, [
    { action: 'webhook.delete' },
    { action: 'webhook.test', outcome: 'ok' },
    { action: 'webhook.update', detail: { fields: ['secret'] } },
    { action: 'webhook.create', detail: { id } },
  ])
  t.notOk(text.includes(secret))
})

test('there are 50 webhooks at most', async (t) => {
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, n) => ask('POST', '', { name: `many ${n}`, ...given })),
  )
  t.equal((await ask<{ results: unknown[] }>('GET')).body.results.length, 50)
  t.match(
    made.find(({ status }) => status !== 200),
    { status: 409, body: { name: 'Conflict' } },
  )
  const { token } = await newUser(adminToken)
  t.match(await request('GET', '/api/webhooks', { token }), { status: 401 })
})
