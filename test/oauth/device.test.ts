import { setTimeout } from 'node:timers/promises'
import tap, { test } from 'tap'
import { deviceOf, peopleOf } from '#test/support/device.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, refresh, userinfo } = relyingParty(service, admin)
const { begin, poll, begun } = deviceOf(service)
const { person, device } = peopleOf(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

test('POST /oauth/device/authorize answers what RFC 8628 section 3.2 names, to a form and to JSON', async (t) => {
  const client = await device()
  const { status, body, headers } = await begin(client)
  t.equal(status, 200)
  t.match(body, {
    device_code: /^[\w-]{43}$/,
    user_code: /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/,
    verification_uri: `${service.url}/oauth/device`,
    verification_uri_complete: `${service.url}/oauth/device?user_code=${body.user_code}`,
    expires_in: 600,
    interval: 5,
  })
  t.match(headers.get('cache-control'), 'no-store')
  const form = await request('POST', '/oauth/device/authorize', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`,
    },
    body: 'scope=openid',
  })
  t.match(form, { status: 200, body: { device_code: String, interval: 5 } })
  t.match((await request('GET', '/.well-known/openid-configuration')).body, {
    device_authorization_endpoint: `${service.url}/oauth/device/authorize`,
  })
})

test('POST /oauth/device/authorize refuses a wrong secret, and a client without the grant', async (t) => {
  const client = await device()
  const wrong = await begin({ ...client, client_secret: 'wrong' })
  t.match(wrong, { status: 401, body: { error: 'invalid_client', name: 'Unauthorized' } })
  const plain = await begin(await register())
  t.match(plain, { status: 400, body: { error: 'unauthorized_client', name: 'InvalidInput' } })
  t.match(await poll(await register(), { device_code: 'x' }), {
    status: 400,
    body: { error: 'unauthorized_client' },
  })
})

test('a device gets its tokens after the person who is signed in has entered and confirmed the code', async (t) => {
  const client = await device()
  const { uid, enter, answer } = await person()
  const asked = await begun(client, { scope: 'openid profile unheard-of' })
  t.match(await poll(client, asked), { status: 400, body: { error: 'authorization_pending' } })
  const page = await enter(asked.user_code)
  t.equal(page.status, 200)
  for (const shown of ['Television', uid, asked.user_code, 'See your name', 'only continue if'])
    t.match(page.text.toLowerCase(), shown.toLowerCase())
  t.notMatch(page.text, asked.device_code)
  const done = await answer(page, asked.user_code)
  t.equal(done.status, 200)
  t.match(done.text, 'Your device is connected')
  const { status, body } = await poll(client, asked)
  t.equal(status, 200)
  t.match(body, { access_token: String, refresh_token: String, id_token: String, scope: 'openid profile' })
  t.match((await userinfo(String(body.access_token))).body, { sub: uid })
  t.equal((await refresh(client, String(body.refresh_token))).status, 200)
})

test('a code is taken in lower case, with blanks and with or without its dash', async (t) => {
  const client = await device()
  const { enter } = await person()
  const { user_code } = await begun(client)
  for (const typed of [
    user_code.toLowerCase(),
    user_code.replace('-', ''),
    ` ${[...user_code.replace('-', '')].join(' ')} `,
    user_code.replace('-', '–'),
  ])
    t.match((await enter(typed)).text, `<code>${user_code}</code>`, typed)
})

test('verification_uri_complete fills the code in; without a session one signs in first and comes back', async (t) => {
  const client = await device()
  const { uid, password } = await newUser(admin)
  const { user_code, verification_uri_complete } = await begun(client)
  const { go, locationOf } = visitor(service, '192.0.2.200')
  const to = locationOf(await go('GET', verification_uri_complete))
  t.equal(to, `/login?${new URLSearchParams({ return_to: `/oauth/device?user_code=${user_code}` })}`)
  const back = await go('POST', '/login', {
    ...{ uid, password },
    return_to: `/oauth/device?user_code=${user_code}`,
  })
  t.equal(locationOf(back).replace(/^\/login\/steps.*/, '/oauth/device'), '/oauth/device')
  const page = await go('GET', verification_uri_complete)
  t.match(page.text, `value="${user_code}"`)
  const nobody = visitor(service, '192.0.2.201')
  t.equal((await nobody.go('POST', '/oauth/device', { user_code })).status, 303)
})

test('the device is told access_denied when the person denies, and the code is good for nothing more', async (t) => {
  const client = await device()
  const { enter, answer } = await person()
  const asked = await begun(client)
  const denied = await answer(await enter(asked.user_code), asked.user_code, 'abort')
  t.match(denied.text, 'The device was refused')
  t.match((await enter(asked.user_code)).text, 'used already')
  t.match(await poll(client, asked), { status: 400, body: { error: 'access_denied' } })
  t.equal((await poll(client, asked)).status, 400)
})

test('a device that asks again too early is told slow_down, and then has to wait five seconds longer', async (t) => {
  const client = await device()
  const { allow } = await person()
  const asked = await begun(client)
  t.match((await poll(client, asked)).body, { error: 'authorization_pending' })
  t.match(await poll(client, asked), { status: 400, body: { error: 'slow_down' } })
  const { redis, keys } = service.deps.store
  const [key = ''] = await keysIn(redis, `*device-code:*`).then(async (all) => {
    const waits = await Promise.all(all.map((each) => redis.hget(each, 'w')))
    return all.filter((_, at) => waits[at] === '10000')
  })
  t.match(key, keys.prefix)
  await allow(asked.user_code)
  t.equal((await poll(client, asked)).status, 200, 'what is allowed is not kept back')
})

test('a device is told expired_token after ten minutes, and the page says that the code has expired', async (t) => {
  const client = await device()
  const { enter } = await person()
  const asked = await begun(client)
  const { now } = Date
  try {
    Date.now = () => now() + 601_000
    t.match(await poll(client, asked), { status: 400, body: { error: 'expired_token' } })
    const page = await enter(asked.user_code)
    t.equal(page.status, 400)
    t.match(page.text, 'has expired')
  } finally {
    Date.now = now
  }
})

test('a device code is good for its client only', async (t) => {
  const [client, other] = [await device(), await device()]
  const { allow } = await person()
  const asked = await begun(client)
  await allow(asked.user_code)
  t.match(await poll(other, asked), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await poll(client, asked)).status, 200)
})

test('a device code that is used again after 3 s ends what it gave', async (t) => {
  const client = await device()
  const { allow } = await person()
  const asked = await begun(client)
  await allow(asked.user_code)
  const { body } = await poll(client, asked)
  t.match(await poll(client, asked), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await userinfo(String(body.access_token))).status, 200, 'who asks twice at once loses nothing')
  await setTimeout(3100)
  t.match(await poll(client, asked), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await userinfo(String(body.access_token))).status, 401)
  t.equal((await refresh(client, String(body.refresh_token))).status, 400)
})

test('of 20 parallel requests of a device on two pods exactly one gets tokens, and they live', async (t) => {
  const client = await device()
  const { allow } = await person()
  const pod = await service.secondPod()
  const there = deviceOf(pod)
  try {
    for (let round = 1; round <= 3; ) {
      const asked = await begun(client)
      await allow(asked.user_code)
      const began = performance.now()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? poll(client, asked) : there.poll(client, asked))),
      )
      const young = performance.now() - began < 2500
      const won = answers.filter(({ status }) => status === 200)
      t.equal(won.length, 1)
      t.equal(answers.filter(({ body }) => body.error === 'invalid_grant').length, 19)
      // What comes 3 s after a use rightly ends what it gave (contract section 9).
      if (!young) continue
      round++
      t.equal((await userinfo(String(won[0]?.body.access_token))).status, 200)
      t.equal((await refresh(client, String(won[0]?.body.refresh_token))).status, 200)
    }
  } finally {
    await pod[Symbol.asyncDispose]()
  }
})

test('of many who confirm one code at once exactly one does, and the device stands for that person', async (t) => {
  const client = await device()
  const asked = await begun(client)
  const people = await Promise.all(Array.from({ length: 6 }, person))
  const pages = await Promise.all(people.map(({ enter }) => enter(asked.user_code)))
  const answers = await Promise.all(
    people.map(({ answer }, at) => answer(pages[at] as (typeof pages)[number], asked.user_code)),
  )
  const won = answers.findIndex(({ text }) => text.includes('Your device is connected'))
  t.equal(answers.filter(({ text }) => text.includes('used already')).length, 5)
  const { body } = await poll(client, asked)
  t.match((await userinfo(String(body.access_token))).body, { sub: people[won]?.uid })
})
