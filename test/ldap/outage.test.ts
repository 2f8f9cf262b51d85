import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import t from 'tap'
import { isRefusal } from '#src/errors.ts'
import { startTestServers } from '#test/support/servers.ts'
import { bounded, until } from '#test/support/until.ts'
import { standStill } from './graph-support.ts'
import { collect, counted, openOn, person, startTestDirectory } from './support.ts'

const { users, groups, directory, ldap, trips, ...test } = await startTestDirectory({ timeout: '1000' })
t.teardown(() => test[Symbol.asyncDispose]())
const ada = await users.create(person({ uid: 'ada', password: 'the right word' }))
await groups.create({ cn: 'staff', member: ada.dn, owner: ada.dn })

/** What a client saw; `inRow`: right answers since the last refusal. */
type Seen = { right: number; refused: number; inRow: number; wrong: unknown[] }

/** Runs until told to stop; every answer is right or UpstreamFailure, and none takes long. */
async function client(seen: Seen, stop: { stopped: boolean }, act: () => Promise<boolean>) {
  while (!stop.stopped) {
    try {
      if (await bounded(3000, act())) {
        seen.right++
        seen.inRow++
      } else seen.wrong.push('a wrong answer')
    } catch (error) {
      if (isRefusal(error, 'UpstreamFailure')) seen.refused++
      else seen.wrong.push(error)
      seen.inRow = 0
      await pause(2)
    }
  }
}

/** Readers, a writer and password checks while `during` happens, and until all is well for each of them. */
async function under(t: Test, during: (all: Seen[]) => Promise<void>) {
  const stop = { stopped: false }
  let mobile = 0
  const acts: (() => Promise<boolean>)[] = [
    ...Array.from({ length: 4 }, () => async () => (await users.find('ada'))?.dn === ada.dn),
    async () => (await groups.effectiveGroupsOf(ada.dn)).length === 1,
    async () => (await collect(users.list())).length === 1,
    async () => users.verifyPassword(ada, 'the right word'),
    async () => !(await users.verifyPassword(ada, 'a wrong word')),
    async () => (await users.update('ada', { mobile: `+49${++mobile}` })) !== undefined,
  ]
  const all = acts.map((): Seen => ({ right: 0, refused: 0, inRow: 0, wrong: [] }))
  const clients = acts.map((act, at) => client(all[at] as Seen, stop, act))
  const each = (what: string, holds: (seen: Seen) => boolean) =>
    until(what, async () => all.every((seen) => holds(seen) || seen.wrong.length > 0), 15, 5)
  await each('right answers', ({ right }) => right > 0)
  await during(all)
  const back = performance.now()
  for (const seen of all) seen.inRow = 0
  // The first may have been under way before.
  await each('right answers again, without restart', ({ inRow }) => inRow > 2)
  t.comment(`recovered ${(performance.now() - back).toFixed()} ms after slapd answered again`)
  stop.stopped = true
  await Promise.all(clients)
  t.same(
    all.flatMap(({ wrong }) => wrong),
    [],
    'never a wrong answer, never an error of another kind',
  )
}

/** While slapd is away: nobody waits for its return. */
function areRefused(all: Seen[], times: number) {
  const ends = all.map(({ refused }) => refused + times)
  return until(
    'each is refused',
    async () => all.every(({ refused }, at) => refused >= Number(ends[at])),
    15,
    5,
  )
}

t.test('slapd killed and started again: bounded errors, then right answers without restart', async (t) => {
  await under(t, async (all) => {
    await ldap.kill()
    await areRefused(all, 10)
    await t.rejects(directory.ping(), { name: 'UpstreamFailure' })
    await ldap.start()
  })
  await directory.ping()
})

t.test('slapd restarted in order: the same', async (t) => {
  await under(t, () => ldap.restart())
})

t.test('slapd standing still: bounded errors, then right answers', async (t) => {
  await under(t, async (all) => {
    await standStill(ldap.pid)
    const refused = directory.ping().then(
      () => 'an answer',
      ({ name }) => name,
    )
    const said = await Promise.race([refused, pause(700, 'nothing')])
    t.equal(said, 'UpstreamFailure', 'readiness says so within half a second')
    // The second time there is no connection any more.
    await areRefused(all, 2)
    process.kill(ldap.pid, 'SIGCONT')
  })
})

t.test(
  'a read whose connection closes under it is sent once more; an idle pod comes back by itself',
  async (t) => {
    await ldap.restart()
    await until('its connections are there again', async () => directory.figures().connections === 2, 15, 5)
    const { value, sent } = await counted(trips, () => users.find('ada'))
    t.equal(value?.uid, 'ada')
    t.same(sent, ['search'], 'the connections were there again before anybody asked')
  },
)

t.test('a write is never sent twice', async (t) => {
  await standStill(ldap.pid)
  const waiting = counted(trips, () => users.update('ada', { mobile: '+490' }).catch((error) => error))
  await until('it is sent', async () => trips.includes('modify'), 15, 5)
  await ldap.kill()
  const { value, sent } = await waiting
  t.match(value, { name: 'UpstreamFailure' })
  t.equal(sent.filter((operation) => operation === 'modify').length, 1)
  await ldap.start()
})

t.test('several URLs are tried in order, and one server takes everything at a time', async (t) => {
  await using second = await startTestServers()
  const urls = `${ldap.url},${second.ldap.url}`
  // The service's password on the second server is the first one's, as replication would have it.
  const { Client, Attribute, Change } = await import('ldapts')
  const client = new Client({ url: second.ldap.url })
  await client.bind(second.ldap.bindDN, second.ldap.bindPassword)
  const modification = new Attribute({ type: 'userPassword', values: [ldap.bindPassword] })
  await client.modify(second.ldap.bindDN, new Change({ operation: 'replace', modification }))
  await client.unbind()

  await using pod = await openOn(ldap, { url: urls, timeout: '4000' })
  await pod.prepare()
  t.ok(await pod.users.find('ada'), 'the first URL')
  await ldap.kill()
  await pause(100)
  t.equal(await pod.users.find('ada'), undefined, 'the second URL answers: nobody there')
  const bob = await pod.users.create(person({ uid: 'bob', password: 'the right word' }))
  t.equal(await pod.users.verifyPassword(bob, 'the right word'), true, 'password checks go where writes go')
  t.equal((await collect(pod.users.list())).length, 1)
  await ldap.start()
})

t.test('a wrong password of the service is UpstreamFailure, not somebody’s failed sign-in', async (t) => {
  await t.rejects(openOn(ldap, { bindPassword: 'wrong' }), { name: 'UpstreamFailure' })
  await t.rejects(openOn(ldap, { url: 'ldap://127.0.0.1:1' }), { name: 'UpstreamFailure' })
  await t.rejects(openOn(ldap, { url: 'ldap://no-such-host.invalid' }), { name: 'UpstreamFailure' })
})
