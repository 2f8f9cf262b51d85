import { test } from 'tap'
import type { Instance } from './support.ts'
import { startPluginTests } from './support.ts'

const { adminToken, ask, check, deps, receiver, request, secondPod } = await startPluginTests()
const notFound = { status: 404, body: { name: 'NotFound' } }
const kept = (id: string) => deps.store.plugins.openSecrets(id)

test('GET /api/plugins/types lists what there is, with the schema of its settings and the names of its secrets', async (t) => {
  const { body } = await ask<{ results: { type: string }[] }>('GET', '/types')
  t.same(body.results.map(({ type }) => type).sort(), [
    'discovery/docker',
    'discovery/http-check',
    'messaging/twilio',
    'messaging/webhook',
    'sync/csv-import',
    'sync/ldif-export',
  ])
  t.match(body.results, [
    {
      category: 'discovery',
      configSchema: { properties: { url: { type: 'string' } } },
      secrets: ['authorization'],
    },
  ])
})

test('POST /api/plugins makes an instance, GET /api/plugins and GET /api/plugins/:id show it with masked secrets and its last run', async (t) => {
  const config = { url: `${receiver.url}/shown` }
  const body = { pluginType: 'discovery/http-check', name: 'Shown here!', cron: '0 4 * * *', config }
  const made = await ask('POST', '', body)
  t.match(made, {
    status: 200,
    body: {
      results: {
        ...body,
        ...{ category: 'discovery', slug: 'shown-here', enabled: true, secrets: { authorization: '' } },
        ...{ last_run_at: null, last_status: null, last_error: null },
      },
    },
  })
  const { id } = made.body.results
  t.match((await ask('GET', `/${id}`)).body.results, made.body.results)
  t.match((await ask<{ results: Instance[] }>('GET')).body.results, [{ id }])
  await using other = await secondPod()
  t.equal((await ask('GET', `/${id}`, undefined, other.request)).status, 200)
})

test('PUT /api/plugins/:id changes what is given; a slug is one instance’s, whoever is first', async (t) => {
  const [one, two] = [await check('one'), await check('two')]
  const changed = await ask('PUT', `/${one.id}`, { name: 'Uno', slug: 'uno', cron: '*/5 * * * *' })
  t.match(changed.body.results, { name: 'Uno', slug: 'uno', cron: '*/5 * * * *', config: one.config })
  t.match((await ask('PUT', `/${one.id}`, { cron: null })).body.results, { cron: null, slug: 'uno' })
  t.match(await ask('PUT', `/${two.id}`, { slug: 'uno' }), { status: 409, body: { name: 'AlreadyExists' } })
  const racing = await Promise.all(
    Array.from({ length: 8 }, () =>
      ask('POST', '', {
        pluginType: 'messaging/webhook',
        name: 'race',
        config: { url: receiver.url, message: 'x' },
      }),
    ),
  )
  t.equal(racing.filter(({ status }) => status === 200).length, 1)
})

test('PUT /api/plugins/:id/secrets: per field, blank or mask keeps, null clears; sealed, outside of the record, never shown', async (t) => {
  const { id } = await check('secretive')
  const secret = 'Bearer of a heavy secret'
  const set = await ask('PUT', `/${id}/secrets`, { authorization: secret })
  t.match(set.body.results, { secrets: { authorization: '********' } })
  for (const same of [{ authorization: '' }, { authorization: '********' }, {}]) {
    t.equal((await ask('PUT', `/${id}/secrets`, same)).status, 200)
    t.same(await kept(id), { authorization: secret })
  }
  const { keys, redis } = deps.store
  const stored = [
    await redis.hget(keys.durable('plugin', 'records'), id),
    JSON.stringify(await redis.hgetall(keys.durable('plugin', 'secrets', id))),
  ]
  t.match(stored[1], /authorization/)
  t.notMatch(stored[0], /authorization/)
  for (const text of [...stored, set.text, (await ask('GET', `/${id}`)).text, (await ask('GET')).text])
    t.notOk(text?.includes('heavy secret'))
  t.match(await ask('PUT', `/${id}/secrets`, { other: 'x' }), { status: 400, body: { message: /other/ } })
  t.match(await ask('PUT', `/${id}/secrets`, { authorization: 7 }), { status: 400 })
  const cleared = await ask('PUT', `/${id}/secrets`, { authorization: null })
  t.match(cleared.body.results, { secrets: { authorization: '' } })
  t.same(await kept(id), {})
})

test('DELETE /api/plugins/:id removes it with its secrets and runs', async (t) => {
  const { id } = await check('short')
  await ask('PUT', `/${id}/secrets`, { authorization: 'x' })
  t.match(await ask('DELETE', `/${id}`), { status: 200, body: { results: true } })
  t.same(await kept(id), {})
  const gone = [
    ['GET', ''],
    ['GET', '/runs'],
    ['DELETE', ''],
    ['POST', '/run'],
    ['POST', '/test'],
    ['POST', '/load'],
    ['POST', '/unload'],
  ]
  for (const [method, path] of gone)
    t.match(await ask(method as string, `/${id}${path}`), notFound, `${method} ${path}`)
  t.match(await ask('PUT', `/${id}`, { name: 'x' }), notFound)
  t.match(await ask('PUT', `/${id}/secrets`, { authorization: 'x' }), notFound)
  t.equal(await deps.store.plugins.setSecrets(id, { authorization: 'x' }), false)
})

test('unknown types, wrong settings and wrong schedules are refused, naming the field', async (t) => {
  const { id } = await check('good')
  const good = { pluginType: 'discovery/http-check', name: 'bad', config: { url: receiver.url } }
  const bad: [object, RegExp][] = [
    [{ pluginType: 'no/such' }, /pluginType/],
    [{ config: {} }, /config\.url is required/],
    [{ config: { url: 7 } }, /config\.url/],
    [{ config: { url: receiver.url, urll: 'x' } }, /config\.urll is not a known field/],
    [{ config: { url: 'file:///etc/passwd' } }, /config\.url/],
    [{ config: { url: 'https://u:p@a.example/' } }, /config\.url/],
    [{ config: { url: receiver.url, status: 99 } }, /config\.status/],
    [{ config: [] }, /config/],
    [{ cron: 'whenever' }, /cron/],
    [{ cron: '61 * * * *' }, /cron/],
    [{ cron: '' }, /cron/],
    [{ slug: 'Not A Slug' }, /slug/],
    [{ name: '' }, /name/],
    [{ name: '☃' }, /slug/],
    [{ id: 'mine' }, /id/],
  ]
  for (const [fields, message] of bad) {
    const refused = { status: 400, body: { name: 'InvalidInput', message } }
    t.match(await ask('POST', '', { ...good, ...fields }), refused, JSON.stringify(fields))
    if ('config' in fields || 'cron' in fields)
      t.match(await ask('PUT', `/${id}`, fields), refused, `PUT ${JSON.stringify(fields)}`)
  }
})

test('what is done to plugins is audited, without their secrets', async (t) => {
  const { id } = await check('audited')
  await ask('PUT', `/${id}/secrets`, { authorization: 'an audited secret' })
  for (const path of ['unload', 'load']) await ask('POST', `/${id}/${path}`)
  await ask('DELETE', `/${id}`)
  await deps.audit.settled()
  const { body, text } = await request<{ results: object[] }>('GET', '/api/audit?target=audited', {
    token: adminToken,
  })
  const actions = ['plugin.delete', 'plugin.load', 'plugin.unload', 'plugin.secrets', 'plugin.create']
  t.match(
    body.results,
    actions.map((action) => ({ action, outcome: 'ok' })),
  )
  t.notOk(text.includes('audited secret'))
})
