import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
const pod = await service.secondPod()
tap.teardown(async () => {
  await pod[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
const { request, newUser } = service
const { admin, ask, newGroup, read, dnOf } = await groupTools(service)
const askOther: typeof ask = (method, path, token = admin) =>
  pod.request(method, `/api/group/${path}`, { token })

type Nested = { results: { nestedGroups: { cn: string }[] } }
const nestedIn = async (cn: string) =>
  (await request<Nested>('GET', `/api/group/${cn}/effective`, { token: admin })).body.results.nestedGroups

test('two nestings that together form a loop, at the same time on two pods: one is made, one is 409 NestingLoop', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [a, b] = [await newGroup(), await newGroup()]
    const answers = await Promise.all([ask('PUT', `${a}/nested/${b}`), askOther('PUT', `${b}/nested/${a}`)])
    t.same(answers.map(({ status }) => status).sort(), [200, 409], `round ${round}`)
    t.equal(answers.find(({ status }) => status === 409)?.body.name, 'NestingLoop')
    t.equal((await nestedIn(a)).length + (await nestedIn(b)).length, 1)
  }
})

/** Takes the lock from whoever holds it, all the time: what a stall of its holder or a lost Redis does now and then. */
async function withoutLock(act: () => Promise<void>): Promise<void> {
  const { redis, keys } = service.deps.store
  let done = false
  const thief = (async () => {
    while (!done) await redis.del(keys.durable('lock', 'groups'))
  })()
  await act().finally(() => {
    done = true
    return thief
  })
}

test('no loop is left even where the lock lapses under those who nest', async (t) => {
  await withoutLock(async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await newGroup(), await newGroup()]
      const answers = await Promise.all([ask('PUT', `${a}/nested/${b}`), askOther('PUT', `${b}/nested/${a}`)])
      const made = answers.filter(({ status }) => status === 200).length
      t.equal((await nestedIn(a)).length + (await nestedIn(b)).length, made, `round ${round}`)
      t.ok(made <= 1)
      t.ok(answers.every(({ status, body }) => status === 200 || body.name === 'NestingLoop'))
    }
  })
})

/**
 * Two changes that a lapse of the lock lets overlap: the second has looked before the first one's `step` and makes its own
 * after the first was answered. Both answers.
 */
async function overlapping(
  step: 'addMember' | 'removeMember',
  one: () => ReturnType<typeof ask>,
  two: () => ReturnType<typeof ask>,
) {
  const { groups, store } = service.deps
  const [first, second] = [groups[step], pod.deps.groups[step]]
  const looked = Promise.withResolvers<void>()
  const late = Promise.withResolvers<Awaited<ReturnType<typeof ask>>>()
  groups[step] = async (...change) => {
    groups[step] = first
    await store.redis.del(store.keys.durable('lock', 'groups'))
    late.resolve(two())
    await looked.promise
    return first(...change)
  }
  pod.deps.groups[step] = async (...change) => {
    pod.deps.groups[step] = second
    looked.resolve()
    await early
    return second(...change)
  }
  const early = one()
  return [await early, await late.promise]
}

test('of two nestings that together form a loop the later one is taken back, though it held the lock all the time', async (t) => {
  const [a, b] = [await newGroup(), await newGroup()]
  const [early, late] = await overlapping(
    'addMember',
    () => ask('PUT', `${a}/nested/${b}`),
    () => askOther('PUT', `${b}/nested/${a}`),
  )
  t.equal(early?.status, 200)
  t.match(late, { status: 409, body: { name: 'NestingLoop' } })
  t.equal((await nestedIn(a)).length, 1)
  t.equal((await nestedIn(b)).length, 0)
})

test('of two administrators who remove each other so the later one is taken back', async (t) => {
  const [other, locked] = [await newUser(admin), await newUser(admin)]
  // So that the directory itself has no reason to keep the last member.
  for (const { uid } of [other, locked]) await ask('PUT', `app_sso_admin/${uid}`)
  await request('PUT', `/api/user/${locked.uid}/active`, { token: admin, body: { active: false } })
  const [early, late] = await overlapping(
    'removeMember',
    () => ask('DELETE', `app_sso_admin/${other.uid}`),
    () => askOther('DELETE', `app_sso_admin/${service.admin.uid}`, other.token),
  )
  t.equal(early?.status, 200)
  t.match(late, { status: 409, body: { name: 'LastAdmin' } })
  t.equal((await request('GET', '/api/user/stats', { token: admin })).status, 200)
  t.equal((await ask('DELETE', `app_sso_admin/${locked.uid}`)).status, 200)
})

test('a lock that nobody gives back is 409 Conflict in bounded time, and lapses by itself', async (t) => {
  const { redis, keys } = service.deps.store
  const key = keys.durable('lock', 'groups')
  await redis.set(key, 'somebody', 'PX', 60_000)
  const [outer, inner] = [await newGroup(), await newGroup()]
  const { status, body } = await ask('PUT', `${outer}/nested/${inner}`)
  t.equal(status, 409)
  t.equal(body.name, 'Conflict')
  await redis.pexpire(key, 300)
  t.equal((await ask('PUT', `${outer}/nested/${inner}`)).status, 200)
  t.equal(await redis.exists(key), 0, 'given back')
})

test('of a ring of nestings made at the same time on two pods at least one is refused, and no loop is left', async (t) => {
  const ring = await Promise.all(Array.from({ length: 8 }, () => newGroup()))
  const answers = await Promise.all(
    ring.map((cn, at) => (at % 2 ? ask : askOther)('PUT', `${cn}/nested/${ring[(at + 1) % ring.length]}`)),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 7)
  t.equal(answers.filter(({ body }) => body.name === 'NestingLoop').length, 1)
  for (const cn of ring) t.notOk((await nestedIn(cn)).some((group) => group.cn === cn))
})

test('of 20 simultaneous nestings of one group one succeeds, the others are 409 AlreadyNested', async (t) => {
  const [outer, inner] = [await newGroup(), await newGroup()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? ask : askOther)('PUT', `${outer}/nested/${inner}`)),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ body }) => body.name === 'AlreadyNested').length, 19)
})

test('a group that is deleted while it is being nested is nested nowhere afterwards', async (t) => {
  for (let round = 0; round < 10; round++) {
    const [outer, inner] = [await newGroup(), await newGroup()]
    const [nested, deleted] = await Promise.all([
      ask('PUT', `${outer}/nested/${inner}`),
      askOther('DELETE', inner),
    ])
    t.ok([200, 404].includes(nested.status))
    t.equal(deleted.status, 200)
    t.notOk((await read(outer)).member.includes(dnOf(inner)))
  }
})

test('a group whose parents lose their other members while it is deleted stays where it is the only member', async (t) => {
  for (let round = 0; round < 5; round++) {
    const [outer, inner] = [await newGroup(), await newGroup()]
    await ask('PUT', `${outer}/nested/${inner}`)
    const answers = await Promise.all([ask('DELETE', `${outer}/admin`), askOther('DELETE', inner)])
    t.same(answers.map(({ status }) => status).sort(), [200, 409])
    t.equal((await read(outer)).member.length, 1)
  }
})

test('two administrators who remove, lock or delete each other at the same time on two pods: one stays', async (t) => {
  const ways: ((
    uid: string,
    on: typeof request,
    token: string,
  ) => Promise<{ status: number; body: { name?: unknown } }>)[] = [
    (uid, on, token) => on('DELETE', `/api/group/app_sso_admin/${uid}`, { token }),
    (uid, on, token) => on('PUT', `/api/user/${uid}/active`, { token, body: { active: false } }),
    (uid, on, token) => on('DELETE', `/api/user/${uid}`, { token }),
  ]
  let token = admin
  let last: { uid: string; token: string } = { uid: 'admin', token }
  for (let round = 0; round < 6; round++) {
    const other = await newUser(token)
    t.equal((await ask('PUT', `app_sso_admin/${other.uid}`, token)).status, 200)
    t.equal((await ask('PUT', `owner/app_sso_admin/${other.uid}`, token)).status, 200)
    const [one, two] = [ways[round % 3], ways[(round + 1) % 3]] as [(typeof ways)[0], (typeof ways)[0]]
    const answers = await Promise.all([
      one(other.uid, service.request, last.token),
      two(last.uid, pod.request, other.token),
    ])
    const done = answers.filter(({ status }) => status === 200)
    t.equal(done.length, 1, `round ${round}: ${JSON.stringify(answers.map(({ body }) => body))}`)
    // The slower one may meet LastAdmin, or find that it is no admin any more, or nobody.
    t.ok(answers.every(({ status }) => [200, 401, 409].includes(status)))
    if (answers[1]?.status === 200) last = other
    token = last.token
    const stays = await ask('GET', 'app_sso_admin/effective', token)
    t.equal(stays.status, 200)
    const still = await request('GET', '/api/user/stats', { token })
    t.equal(still.status, 200, 'somebody still administrates')
  }
})
