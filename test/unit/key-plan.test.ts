import { test } from 'tap'
import type { KeyTimes } from '#src/oauth/key-plan.ts'
import { planKeys, slackOf } from '#src/oauth/key-plan.ts'

type Key = { algorithm: 'RS256'; startsAt: number; firstSeen?: number; lastSigned?: number }
const day = 86_400_000
const usual: KeyTimes = { period: 90 * day, prepublish: 7 * day, retain: 30 * day }
const at = (startsAt: number): Key => ({ algorithm: 'RS256', startsAt })
const plan = (keys: Key[], now: number, times = usual) => planKeys(keys, ['RS256'], now, times)
const starts = (keys: { startsAt: number }[]) => keys.map(({ startsAt }) => startsAt / day)

test('a key is made, published, signs, is kept and goes at its times', (t) => {
  const [old, next] = [at(0), at(90 * day)]
  t.same(plan([], 10 * day).missing, [{ ...at(0), latest: Number.MAX_SAFE_INTEGER }], 'the very first')
  t.equal(plan([], 10 * day).complete, false)
  t.same(starts(plan([old], 75 * day).missing), [])
  t.same(plan([old], 76 * day).missing, [{ ...next, latest: 83 * day }], 'made two windows before it signs')
  t.same(starts(plan([old, next], 76 * day).missing), [], 'once')
  t.same(starts(plan([old, next], 82 * day).published), [0])
  t.same(starts(plan([old, next], 83 * day).published), [0, 90], 'published behind the one that signs')
  t.same(starts(plan([old, next], 90 * day).published), [90, 0], 'signs, and the old one is kept')
  t.same(starts(plan([old, next], 120 * day).published), [90, 0])
  t.same(starts(plan([old, next], 121 * day).published), [90])
  t.same(plan([old, next], 127 * day).spent, [])
  t.same(plan([old, next], 128 * day).spent, [old])
  t.end()
})

test('a key that was not made in time is left for the time after, and the old one goes on', (t) => {
  t.same(plan([at(0)], 84 * day).missing, [])
  t.same(starts(plan([at(0)], 100 * day).published), [0])
  t.same(plan([at(0)], 170 * day).missing, [{ ...at(180 * day), latest: 173 * day }])
  t.end()
})

test('a changed period makes no key sign that was not published before', (t) => {
  const keys = [at(90 * day)]
  for (const period of [14, 30, 45, 200])
    t.same(starts(plan(keys, 100 * day, { ...usual, period: period * day }).published), [90])
  t.end()
})

test('whatever the times and however irregular the looks: who signs was published for the whole window, and is kept', (t) => {
  let seed = 7
  const random = (least: number, most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return least + Math.floor((seed / 2_147_483_647) * (most - least + 1))
  }
  let rotations = 0
  for (let world = 0; world < 50; world++) {
    const prepublish = random(4, 40)
    const times = { prepublish, period: random(2 * prepublish, 300), retain: random(1, 500) }
    const slack = slackOf(times)
    let keys: Key[] = []
    let signing: Key | undefined
    for (let now = random(0, 10_000), end = now + 5000; now < end; ) {
      for (const { latest, ...key } of plan(keys, now, times).missing) {
        const made = now + random(0, prepublish)
        if (made <= latest && key.startsAt === 0) keys.push({ ...key, firstSeen: 0 } as Key)
        else if (made <= latest) keys.push(key as Key)
      }
      const { published, spent, complete } = plan(keys, now, times)
      if (!complete) t.fail('nothing signs')
      for (const key of published) key.firstSeen ??= now
      const [first] = published as [Key]
      if (first !== signing) {
        rotations += 1
        if (first.startsAt > 0 && first.startsAt - (first.firstSeen as number) < prepublish - 2 * slack - 1)
          t.fail(`published ${first.startsAt - (first.firstSeen as number)} before, of ${prepublish}`)
      }
      signing = first
      first.lastSigned = now
      for (const key of keys)
        if (key.lastSigned !== undefined && now - key.lastSigned < times.retain && !published.includes(key))
          t.fail('went too early')
      for (const key of spent) if (published.includes(key)) t.fail('deleted while published')
      keys = keys.filter((key) => !spent.includes(key))
      now += random(1, Math.max(1, Math.floor(slack)))
    }
    if (keys.length > 3 + times.retain / times.period + (2 * prepublish) / times.period)
      t.fail('keys pile up')
  }
  t.ok(rotations > 500, `${rotations} rotations`)
  t.end()
})
