import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

const sealKey = 'a key of the tests for what outlives a secret 0123456789'
const service = await startTestService({ app_seal__key: sealKey })
tap.teardown(() => service[Symbol.asyncDispose]())
const { login, admin, deps, environmentOfPod } = service
const { audit } = deps
const { redis } = deps.store
const stream = 'latchkey:{audit}:stream'
const chain = 'latchkey:{audit}:seals'
const checkpoint = 'latchkey:{audit}:checkpoint'
const lease = 'latchkey:{audit}:sealer'
/** No pod seals by itself meanwhile. */
const holdSealing = () => redis.set(lease, 'a test', 'PX', 60_000)

async function add(count: number, actor = 'tester'): Promise<void> {
  for (let n = 0; n < count; n++)
    audit.append({ actor, action: 'test' as never, target: `target ${n}`, outcome: 'ok', address: '::1' })
  await audit.settled()
}

/** Writes entries as they are, in their order. */
const put = (entries: (readonly [string, readonly string[]])[]) =>
  Promise.all(entries.map(([id, fields]) => redis.xadd(stream, id, ...fields)))

/** Waits for the service's own turn. */
async function sealed() {
  for (;;) {
    const verdict = await audit.seals.verify()
    if (verdict.fault) throw new Error(verdict.fault)
    if (verdict.unsealed === 0) return verdict
    await setTimeout(200)
  }
}

/** Puts back what a test has broken. */
async function keeping(act: () => Promise<void>): Promise<void> {
  const names = [stream, chain, checkpoint]
  const before = await Promise.all(names.map((name) => redis.dumpBuffer(name)))
  await act()
  await redis.del(...names)
  for (const [at, dump] of before.entries()) if (dump) await redis.restore(names[at] as string, 0, dump)
}

test('events are sealed by themselves within seconds, every one, into a chain that holds', async (t) => {
  await login(admin.uid, admin.password)
  await add(2500)
  const verdict = await sealed()
  t.equal(verdict.events, await redis.xlen(stream))
  t.equal(verdict.from, 1)
  t.ok(verdict.seals >= 3, 'no batch is longer than a thousand')
  await holdSealing()
  await add(1)
  t.equal((await audit.seals.verify()).unsealed, 1)
  await redis.del(lease)
  await sealed()
})

test('an event that is removed, changed, added or hidden, and a seal that is forged or taken out, is found', async (t) => {
  const seals = await redis.xrange(chain, '-', '+')
  const events = await redis.xrange(stream, '-', '+')
  const [id, fields] = events[1500] as [string, string[]]
  const fault = async () => (await audit.seals.verify()).fault
  const rewrite = async (key: string, change: (id: string, fields: string[]) => string[] | undefined) => {
    const entries = await redis.xrange(key, '-', '+')
    await redis.del(key)
    const kept = entries.flatMap(([id, fields]) => {
      const now = change(id, fields)
      return now ? [{ id, now }] : []
    })
    await Promise.all(kept.map(({ id, now }) => redis.xadd(key, id, ...now)))
  }
  await keeping(async () => {
    await redis.xdel(stream, id)
    t.match(await fault(), /^seal \d+: events are missing/)
  })
  await keeping(async () => {
    const other = (fields[1] as string).replace('tester', 'nobody')
    await rewrite(stream, (at, fields) => (at === id ? ['event', other] : fields))
    t.match(await fault(), /^seal \d+: events were changed/)
  })
  const millisecond = (at: number) => Number.parseInt(events[at]?.[0] ?? '', 10)
  const gap = events.findIndex((_, at) => at > 10 && millisecond(at + 1) > millisecond(at))
  const [last, told] = events[gap] as [string, string[]]
  const between = last.replace(/\d+$/, '99999')
  await keeping(async () => {
    await redis.del(stream)
    await put([...events.slice(0, gap + 1), [between, ['event', '{}']], ...events.slice(gap + 1)])
    t.match(await fault(), 'there are events that were not sealed')
  })
  await keeping(async () => {
    await redis.del(stream)
    await put([...events.slice(0, gap), [between, told], ...events.slice(gap + 1)])
    t.match(await fault(), /^seal \d+: events were changed/, 'the time of an event')
  })
  await keeping(async () => {
    await redis.xdel(chain, seals[1]?.[0] as string)
    t.match(await fault(), 'does not follow on seal 1')
  })
  await keeping(async () => {
    await redis.xdel(chain, seals[0]?.[0] as string)
    t.match(await fault(), 'does not follow on seal 0')
  })
  await keeping(async () => {
    await rewrite(chain, (_at, [name = '', json = '']) => [name, json.replace(/"count":\d+/, '"count":1')])
    t.match(await fault(), 'is forged')
  })
  await keeping(async () => {
    const [last] = await redis.xrevrange(chain, '+', '-', 'COUNT', 1)
    await redis.set(checkpoint, (last?.[1][1] ?? '').replace(/"mac":"./, '"mac":"?'))
    await redis.del(chain)
    t.match(await fault(), 'is forged')
  })
  t.equal(await fault(), undefined)
})

test('a batch that was sealed anew after a change is found by the seal behind it', async (t) => {
  await add(1, 'first guest')
  await sealed()
  await add(1, 'second guest')
  await sealed()
  await keeping(async () => {
    await holdSealing()
    const [behind, changed] = await redis.xrevrange(chain, '+', '-', 'COUNT', 2)
    const events = await redis.xrange(stream, '-', '+')
    const { first } = JSON.parse(behind?.[1][1] as string)
    const at = events.findIndex(([id]) => id === first)
    const changedIn = (entries: typeof events) =>
      entries.map(
        ([id, fields]) => [id, fields.map((text) => text.replace('first guest', 'somebody'))] as const,
      )
    await redis.xdel(chain, behind?.[0] as string, changed?.[0] as string)
    await redis.del(stream)
    await put(changedIn(events.slice(0, at)))
    await redis.del(lease)
    await audit.seals.seal()
    await holdSealing()
    await put(changedIn(events.slice(at)))
    await redis.xadd(chain, '*', ...(behind?.[1] ?? []))
    t.match((await audit.seals.verify()).fault, 'does not follow on seal')
  })
  await redis.del(lease)
})

test('pods that seal at once make one chain, and the others go on when one is gone', async (t) => {
  const pods = await Promise.all([1, 2, 3].map(() => service.secondPod({ app_seal__key: sealKey })))
  const all = [audit, ...pods.map((pod) => pod.deps.audit)]
  await redis.del(lease)
  for (let round = 0; round < 10; round++) {
    await add(20)
    await redis.del(lease)
    await Promise.all([...all, ...all].map((each) => each.seals.seal()))
  }
  await sealed()
  t.equal((await audit.seals.verify()).events, await redis.xlen(stream))
  await redis.set(lease, 'a pod that died', 'PX', 1500)
  await add(5)
  await setTimeout(1600)
  t.equal((await sealed()).unsealed, 0)
  await Promise.all(pods.map((pod) => pod[Symbol.asyncDispose]()))
})

test('retention removes whole batches with their index entries, and verification starts at the checkpoint', async (t) => {
  await add(1000, 'passing guest')
  const before = await sealed()
  await setTimeout(5)
  const cut = Date.now()
  await add(3, 'late guest')
  await sealed()
  await audit.seals.trim(cut)
  const after = await audit.seals.verify()
  t.equal(after.fault, undefined)
  t.equal(after.from, before.seals + 1)
  t.equal(after.events, await redis.xlen(stream))
  t.ok(after.events >= 3 && after.events < 50)
  t.equal(await redis.exists('latchkey:{audit}:actor:passing%20guest'), 0)
  t.equal(await redis.xlen('latchkey:{audit}:actor:late%20guest'), 3)
  await audit.seals.trim(cut)
  t.strictSame(await audit.seals.verify(), after)
  await add(2)
  const { events, newest } = await sealed()
  t.equal(events, after.events + 2, 'the chain goes on from the checkpoint')
  t.not(newest, after.newest)
  await holdSealing()
  await add(2)
  await setTimeout(5)
  const middle = Date.now()
  await add(2)
  await redis.del(lease)
  const whole = await sealed()
  await audit.seals.trim(middle)
  t.ok((await audit.seals.verify()).events >= 4, 'a batch stays until its last event is old enough')
  t.equal((await audit.seals.verify()).newest, whole.newest)
  await keeping(async () => {
    await redis.del(checkpoint)
    t.match((await audit.seals.verify()).fault, 'does not follow on seal 0')
  })
})

test('the service removes by itself what is older than audit.retention_days', async (t) => {
  const old = Array.from({ length: 1000 }, (_, at) => `${at + 1}-0`)
  const event = JSON.stringify({ actor: 'tester', action: 'test', target: '', outcome: 'ok', address: '' })
  await Promise.all(old.map((id) => redis.xadd('aged:{audit}:stream', id, 'event', event)))
  await using pod = await service.secondPod({ app_redis__prefix: 'aged', app_seal__key: sealKey })
  await until('the old batch is gone', async () => await redis.exists('aged:{audit}:checkpoint'))
  t.same(await redis.xrange('aged:{audit}:stream', '-', '1000-0'), [])
  t.match(await pod.deps.audit.seals.verify(), { from: 2, fault: undefined })
})

test('npm run audit:verify says what holds, and ends with status 1 where something is wrong', async (t) => {
  const env = await environmentOfPod({ app_seal__key: sealKey })
  const run = (differently: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/audit/verify.ts'], {
      env: { ...process.env, ...env, ...differently },
    }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    )
  await sealed()
  t.match(await run(), { code: 0, stdout: /^\d+ seals from number \d+ on, over \d+ events, hold; 0 events/ })
  t.match(await run({ app_seal__key: `${sealKey} another` }), {
    code: 1,
    stdout: /WRONG: seal \d+ was made with another key/,
  })
  await keeping(async () => {
    const [oldest] = await redis.xrange(stream, '-', '+', 'COUNT', 1)
    await redis.xdel(stream, oldest?.[0] as string)
    t.match(await run(), { code: 1, stdout: /WRONG: seal \d+: events are missing/ })
  })
})
