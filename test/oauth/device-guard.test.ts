import tap, { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { deviceOf, peopleOf, personOf } from '#test/support/device.ts'
import { everywhere, keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { begin, poll } = deviceOf(service)
tap.teardown(() => service[Symbol.asyncDispose]())

const { device, person } = peopleOf(service, admin)
const client = await device()
const window = 15 * 60_000
/** Counts a guess of all accounts together, and says how many that makes. */
const countOfAll = async () => (await service.deps.store.rates.count('device-guess', window)).current

test('ten wrong codes stop an account from whatever address, right ones count for nothing, others go on', async (t) => {
  const { token, enter, answer } = await person()
  const { body: asked } = await begin(client)
  for (let n = 0; n < 12; n++) t.equal((await enter(asked.user_code)).status, 200)
  for (let n = 0; n < 10; n++) {
    const wrong = await enter('BBBB-BBBB')
    t.equal(wrong.status, 400)
    t.match(wrong.text, 'There is no such code')
  }
  const elsewhere = visitor(service, freshAddress())
  elsewhere.jar.set('latchkey@/', { value: token, path: '/' })
  const stopped = await personOf(elsewhere).enter(asked.user_code)
  t.equal(stopped.status, 429)
  t.match(stopped.headers.get('retry-after'), /^\d+$/)
  t.ok(Number(stopped.headers.get('retry-after')) > 600)
  t.match(stopped.text, 'TooManyRequests')
  t.equal((await answer(await enter(asked.user_code), asked.user_code)).status, 429)
  t.match((await poll(client, asked)).body, { error: 'authorization_pending' })
  const other = await person()
  t.match((await other.allow(asked.user_code)).text, 'Your device is connected')
})

test('of 40 guesses at once no more than ten are looked up', async (t) => {
  const { go, markOf } = await person()
  const xsrf = markOf(await go('GET', '/oauth/device'))
  const before = await countOfAll()
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => go('POST', '/oauth/device', { xsrf, user_code: 'CCCC-CCCC' })),
  )
  t.equal(answers.filter(({ status }) => status === 400).length, 10)
  t.equal(answers.filter(({ status }) => status === 429).length, 30)
  t.equal(await countOfAll(), before + 11, 'who is stopped does not use up what all have together')
})

test('forty codes from one address, whoever types them, then 429 with Retry-After', async (t) => {
  const address = freshAddress()
  const { body: asked } = await begin(client)
  const people = await Promise.all([person(address), person(address)])
  for (let n = 0; n < 40; n++) t.equal((await people[n % 2]?.enter(asked.user_code))?.status, 200)
  const stopped = await people[0]?.enter(asked.user_code)
  t.equal(stopped?.status, 429)
  t.ok(Number(stopped?.headers.get('retry-after')) > 600)
})

test('all accounts together have a thousand wrong codes in 15 minutes', async (t) => {
  const before = await countOfAll()
  await (await person()).enter((await begin(client)).body.user_code)
  const current = await countOfAll()
  t.equal(current, before + 1, 'a right one counts for nothing')
  await Promise.all(Array.from({ length: 999 - current }, countOfAll))
  const { enter } = await person()
  t.equal((await enter('BBBB-BBBB')).status, 400, 'the thousandth')
  const stopped = await enter('BBBB-BBBB')
  t.equal(stopped.status, 429)
  t.match(stopped.headers.get('retry-after'), /^\d+$/)
  await Promise.all(Array.from({ length: 1001 }, () => service.deps.store.rates.giveBack('device-guess')))
  t.equal(await countOfAll(), 1, 'never less than none')
})

test('attack 39: a code is entered and confirmed only from our own page of the same session', async (t) => {
  const { go, enter, answer, markOf } = await person()
  const { body: asked } = await begin(client)
  const foreign = await go(
    'POST',
    '/oauth/device',
    { user_code: asked.user_code, confirm: 'yes' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  )
  t.match(foreign, { status: 401 })
  t.match(foreign.text, 'InsufficientPermission')
  for (const xsrf of ['', 'wrong', markOf(await (await person()).go('GET', '/oauth/device'))]) {
    const { status, text } = await go('POST', '/oauth/device', {
      xsrf,
      user_code: asked.user_code,
      confirm: 'yes',
    })
    t.equal(status, 400, xsrf)
    t.match(text, 'open too long')
  }
  t.match((await poll(client, asked)).body, { error: 'authorization_pending' })
  const page = await enter(asked.user_code)
  t.equal((await answer(page, asked.user_code)).status, 200)
})

test('attack 4: neither code stands in Redis as it is, and a record does not open by its name there', async (t) => {
  const { enter } = await person()
  const { body: asked } = await begin(client)
  await enter(asked.user_code)
  const { redis } = service.deps.store
  await everywhere(redis, 'CONFIG', 'SET', 'rdbcompression', 'no')
  const names = await keysIn(redis)
  const dumps = await Promise.all(names.map((name) => redis.dumpBuffer(name)))
  const all = [...names, ...dumps.map((dump) => dump?.toString('latin1') ?? '')].join('\n')
  const plain = asked.user_code.replace('-', '')
  for (const secret of [asked.device_code, asked.user_code, plain]) t.notOk(all.includes(secret))
  for (const name of names.filter((each) => each.includes(':device-code:'))) {
    const device_code = `~${name.split(':').pop()}`
    t.match(await poll(client, { device_code }), { status: 400, body: { error: 'invalid_grant' } })
  }
})

test('garbage on the pages and endpoints of devices is answered 4xx', async (t) => {
  const { go } = await person()
  for (const path of [
    '/oauth/device?user_code=%00',
    `/oauth/device?user_code=${'x'.repeat(3000)}`,
    '/oauth/device/x',
  ])
    t.ok((await go('GET', path)).status < 500, path)
  const xsrf = personOf({ go }).markOf(await go('GET', '/oauth/device'))
  for (const user_code of ['\0', '<script>', ' ', '--', '💥', 'x'.repeat(64)]) {
    const { status, text } = await go('POST', '/oauth/device', { xsrf, user_code })
    t.equal(status, 400, user_code)
    t.notMatch(text, '<script>')
    await service.deps.store.rates.giveBack(`device-guess`)
  }
  for (const body of [[], { scope: {} }, 'x', { client_id: ['a', 'b'] }]) {
    const { status } = await request('POST', '/oauth/device/authorize', { body })
    t.ok(status >= 400 && status < 500, JSON.stringify(body))
  }
})

test('one address asks for 300 codes in 15 minutes', async (t) => {
  const address = freshAddress()
  const { client_id, client_secret } = client
  const ask = () =>
    request('POST', '/oauth/device/authorize', { address, body: { client_id, client_secret } })
  for (let n = 0; n < 6; n++)
    for (const { status } of await Promise.all(Array.from({ length: 50 }, ask))) t.equal(status, 200)
  const { status, headers } = await ask()
  t.equal(status, 429)
  t.match(headers.get('retry-after'), /^\d+$/)
})
