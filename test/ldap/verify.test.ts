import t from 'tap'
import { bareClient, counted, person, startTestDirectory } from './support.ts'

const { users, ldap, trips, ...test } = await startTestDirectory({ pool__waiting: '8' })
t.teardown(() => test[Symbol.asyncDispose]())
const ada = await users.create(person({ uid: 'ada', password: 'the right word' }))

t.test(
  'wrong password, unknown user, locked user and account without a password all take one search and one bind',
  async (t) => {
    const locked = await users.create(person({ uid: 'locked', password: 'the right word' }))
    await users.setActive('locked', false)
    const bare = await users.create({ ...person({ uid: 'bare' }), password: undefined })
    const cases = {
      right: { user: ada, password: 'the right word', is: true },
      wrong: { user: ada, password: 'a wrong word', is: false },
      unknown: { user: undefined, password: 'a wrong word', is: false },
      'locked, right': { user: locked, password: 'the right word', is: false },
      'locked, wrong': { user: locked, password: 'a wrong word', is: false },
      'without a password': { user: bare, password: 'a wrong word', is: false },
      gone: { user: { dn: `uid=gone,ou=people,${ldap.base}` }, password: 'a wrong word', is: false },
    }
    for (const [name, { user, password, is }] of Object.entries(cases)) {
      const { value, sent } = await counted(trips, () => users.verifyPassword(user, password))
      t.equal(value, is, name)
      t.same(sent, ['search', 'bind'], name)
    }
  },
)

t.test('a lock counts at once, whatever was known of the account before', async (t) => {
  const before = await users.create(person({ uid: 'quick', password: 'the right word' }))
  await users.setActive('quick', false)
  t.equal(await users.verifyPassword(before, 'the right word'), false)
})

t.test('an empty password never reaches a bind', async (t) => {
  const { value, sent } = await counted(trips, () => users.verifyPassword(ada, ''))
  t.equal(value, false)
  t.same(sent, [])
})

t.test("nobody signs in with the decoy's password", async (t) => {
  const client = await bareClient(ldap)
  const [decoy] = (await client.search(ldap.decoyDN, { scope: 'base' })).searchEntries
  await client.unbind()
  t.match(String(decoy?.userPassword), /^\{ARGON2\}/)
  t.equal(await users.verifyPassword(undefined, String(decoy?.userPassword)), false)
  t.equal(await users.verifyPassword({ dn: ldap.decoyDN }, 'a wrong word'), false)
})

t.test(
  'a flood of password checks waits or is refused with TooManyRequests, and searches stay quick',
  async (t) => {
    const flood = Promise.allSettled(
      Array.from({ length: 30 }, () => users.verifyPassword(ada, 'a wrong word')),
    )
    const first = await Promise.race([users.find('ada'), flood.then(() => undefined)])
    t.equal(first?.uid, 'ada', 'long before the checks are done')
    const outcomes = await flood
    const refused = outcomes.filter((each) => each.status === 'rejected')
    t.ok(refused.length > 10, 'two at a time, eight waiting')
    t.ok(outcomes.length - refused.length >= 10)
    for (const { reason } of refused) t.match(reason, { name: 'TooManyRequests' })
    t.equal(await users.verifyPassword(ada, 'the right word'), true, 'and goes on afterwards')
  },
)
