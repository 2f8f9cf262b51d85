import { setTimeout } from 'node:timers/promises'
import tap, { test } from 'tap'
import { everywhere, keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'

const smtp = await startSmtp()
const service = await startTestService({
  ...smtp.settings,
  app_delivery__backoff: '100',
  app_delivery__attempts: '4',
})
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})
const { deps, login, newUser, request, url } = service
const { jobs, redis } = deps.store
const admin = await login(service.admin.uid, service.admin.password)
/** Does not give up while a test looks at what waits. */
const patient = { app_delivery__attempts: '30' }
const codeFor = (uid: string) =>
  request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await setTimeout(10)
}
const metric = async (line: string) => (await (await fetch(`${url}/metrics`)).text()).includes(line)

test('a mail is tried again with back-off while the server does not take it, and goes out once', async (t) => {
  const { uid, mail } = await newUser(admin)
  let tries = 0
  smtp.behaviour.refuse = (to) => (to === mail && ++tries < 4 ? 451 : undefined)
  t.equal((await codeFor(uid)).status, 200)
  await until(() => smtp.countTo(mail) === 1)
  t.equal(tries, 4)
  await until(async () => (await jobs.counts()).active === 0)
  t.equal(smtp.countTo(mail), 1)
})

test('a mail refused for good is not tried again, and one that never goes out is given up; failed jobs are kept in bounds', async (t) => {
  const [gone, never] = [await newUser(admin), await newUser(admin)]
  const tries = new Map<string, number>()
  smtp.behaviour.refuse = (to) => {
    tries.set(to, (tries.get(to) ?? 0) + 1)
    return to === gone.mail ? 550 : to === never.mail ? 451 : undefined
  }
  await codeFor(gone.uid)
  await codeFor(never.uid)
  await until(async () => (await jobs.counts()).failed === 2)
  t.same([tries.get(gone.mail), tries.get(never.mail)], [1, 4])
  for (const id of await redis.zrange('latchkey:{jobs}:delivery:failed', 0, '-1')) {
    const { opts = '{}' } = await redis.hgetall(`latchkey:{jobs}:delivery:${id}`)
    t.match(JSON.parse(opts), { removeOnFail: { count: 1000, age: Number } })
  }
  smtp.behaviour.refuse = () => undefined
})

test('a mail that waits is sealed in Redis: no code, link or address in clear', async (t) => {
  const { uid, mail } = await newUser(admin)
  const { attempts } = deps.config.delivery
  deps.config.delivery.attempts = 30
  smtp.behaviour.refuse = () => 451
  await request('POST', '/api/auth/resetpassword', { body: { mail } })
  await until(async () => (await jobs.counts()).delayed > 0)
  deps.config.delivery.attempts = attempts
  const names = await keysIn(redis, 'latchkey:{jobs}:delivery:mail-*')
  const kept = await Promise.all(
    names.filter((key) => !key.endsWith(':lock')).map((key) => redis.hgetall(key)),
  )
  smtp.behaviour.refuse = () => undefined
  await until(() => smtp.countTo(mail) === 1)
  const link = /resetpassword\/([\w-]{43})/.exec((await smtp.mailTo(mail)).text ?? '')?.[1] ?? 'no link'
  t.ok(kept.length > 0)
  for (const { data = '' } of kept) {
    t.match(Object.keys(JSON.parse(data)), ['sealed'])
    for (const clear of [link, mail, uid, 'resetpassword']) t.notOk(data.includes(clear))
  }
})

test('a mail waiting when the service stops goes out after the next start, once', async (t) => {
  const pod = await service.secondPod({ ...smtp.settings, ...patient, app_redis__prefix: 'alone' })
  const { uid, mail } = await newUser(admin)
  smtp.behaviour.refuse = () => 451
  await pod.request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })
  await until(async () => (await pod.deps.store.jobs.counts()).delayed === 1)
  await pod[Symbol.asyncDispose]()
  smtp.behaviour.refuse = () => undefined
  t.equal(smtp.countTo(mail), 0)
  const next = await service.secondPod({ ...smtp.settings, ...patient, app_redis__prefix: 'alone' })
  await until(() => smtp.countTo(mail) === 1)
  await next[Symbol.asyncDispose]()
  t.equal(smtp.countTo(mail), 1)
})

/** Breaks what pods listen with until disposed, faster than they come back. */
function deafen() {
  const timer = setInterval(() => everywhere(redis, 'CLIENT', 'KILL', 'TYPE', 'pubsub').catch(() => {}), 10)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

test('the first job is done though nobody heard of it, by the pod that was asked and by any other', async (t) => {
  const { uid, mail } = await newUser(admin)
  const asked = await service.secondPod({ ...smtp.settings, ...patient, app_redis__prefix: 'unheard' })
  const other = await service.secondPod({ ...smtp.settings, ...patient, app_redis__prefix: 'unheard' })
  smtp.behaviour.refuse = () => 451
  {
    using _ = deafen()
    await asked.request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })
    await until(async () => (await asked.deps.store.jobs.counts()).delayed === 1)
  }
  await asked[Symbol.asyncDispose]()
  smtp.behaviour.refuse = () => undefined
  await until(() => smtp.countTo(mail) > 0)
  await other[Symbol.asyncDispose]()
  t.equal(smtp.countTo(mail), 1)
})

test('a job of an id that is there already is not made again', async (t) => {
  const data = { to: 'twice@example.org', subject: 'Once', text: 'x', html: 'x' }
  for (let n = 0; n < 3; n++) await jobs.add({ id: 'mail-once', kind: 'mail', data, secret: true })
  await until(() => smtp.countTo(data.to) === 1)
  await jobs.add({ id: 'mail-once', kind: 'mail', data, secret: true })
  await until(async () => (await jobs.counts()).waiting + (await jobs.counts()).active === 0)
  t.equal(smtp.countTo(data.to), 1)
  t.match((await smtp.mailTo(data.to)).messageId, '<mail-once@')
})

test('GET /metrics tells jobs by state and deliveries by outcome', async (t) => {
  for (const state of ['waiting', 'active', 'delayed', 'failed'])
    t.ok(await metric(`jobs{queue="delivery",state="${state}"} `), state)
  for (const outcome of ['sent', 'retry', 'failed'])
    t.ok(await metric(`deliveries_total{kind="mail",outcome="${outcome}"} `), outcome)
  t.ok(await metric('jobs{queue="delivery",state="failed"} 2'), 'those that were given up above')
})
