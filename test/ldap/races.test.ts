import t from 'tap'
import { Refusal } from '#src/errors.ts'
import { dnOf, person, startTestDirectory } from './support.ts'

const { users, groups, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())
const pod = await test.open()
await pod.prepare()
t.teardown(() => pod[Symbol.asyncDispose]())

/** Winners, and the names of the refusals of the others. */
async function race<T>(runners: Promise<T>[]): Promise<{ won: T[]; lost: Set<string> }> {
  const outcomes = await Promise.allSettled(runners)
  return {
    won: outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    lost: new Set(
      outcomes.flatMap((each) =>
        each.status === 'rejected'
          ? [each.reason instanceof Refusal ? each.reason.name : String(each.reason)]
          : [],
      ),
    ),
  }
}
const eitherPod = (n: number) => (n % 2 === 0 ? users : pod.users)

t.test('fifty parallel creations of one uid make one account', async (t) => {
  const { won, lost } = await race(
    Array.from({ length: 50 }, (_, n) =>
      eitherPod(n).create(person({ uid: 'racer', mail: `racer${n}@example.org` })),
    ),
  )
  t.equal(won.length, 1)
  t.same(lost, new Set(['AlreadyExists']))
})

t.test('twenty parallel creations with one mail make one account', async (t) => {
  const { won, lost } = await race(
    Array.from({ length: 20 }, (_, n) =>
      eitherPod(n).create(person({ uid: `mail${n}`, mail: n % 2 ? 'One@example.org' : 'one@Example.org' })),
    ),
  )
  t.equal(won.length, 1)
  t.same(lost, new Set(['MailInUse']))
})

t.test('parallel creations on two pods get numbers of their own', async (t) => {
  const { won, lost } = await race(
    Array.from({ length: 40 }, (_, n) => eitherPod(n).create(person({ uid: `number${n}` }))),
  )
  t.same(lost, new Set())
  t.equal(new Set(won.map(({ uidNumber }) => uidNumber)).size, 40)
})

t.test('a member joins once, however many try', async (t) => {
  const [first, second] = await Promise.all([
    users.create(person({ uid: 'first' })),
    users.create(person({ uid: 'second' })),
  ])
  await groups.create({ cn: 'joined', member: first.dn, owner: first.dn })
  const { won, lost } = await race(
    Array.from({ length: 10 }, (_, n) => (n % 2 ? groups : pod.groups).addMember('joined', second.dn)),
  )
  t.same([won, lost], [[true], new Set(['AlreadyMember'])])
})

t.test('of two last members who leave at once one stays', async (t) => {
  const members = [dnOf(await users.find('first')), dnOf(await users.find('second'))]
  const { won, lost } = await race(
    members.map((dn, n) => (n % 2 ? groups : pod.groups).removeMember('joined', dn)),
  )
  t.same([won, lost], [[true], new Set(['LastMember'])])
  t.equal((await groups.find('joined'))?.member.length, 1)
})

t.test('parallel name changes leave a full name that fits its parts', async (t) => {
  await users.create(person({ uid: 'renamed', givenName: 'A', sn: 'B' }))
  await race([
    ...Array.from({ length: 5 }, (_, n) => users.update('renamed', { givenName: `Given${n}` })),
    ...Array.from({ length: 5 }, (_, n) => pod.users.update('renamed', { sn: `Family${n}` })),
  ])
  const after = await users.find('renamed')
  const found = await users.page({ q: `${after?.givenName} ${after?.sn}`, limit: 10 })
  t.same(
    found.entries.map(({ uid }) => uid),
    ['renamed'],
  )
})

t.test('pods that start together find out the same', async (t) => {
  const pods = await Promise.all(Array.from({ length: 4 }, () => test.open()))
  await Promise.all(pods.map((each) => each.prepare()))
  for (const each of pods) {
    t.same(
      each.capabilities.filter(({ available }) => !available),
      [],
    )
    await each[Symbol.asyncDispose]()
  }
  t.equal(await users.verifyPassword(undefined, 'a wrong word'), false)
})
