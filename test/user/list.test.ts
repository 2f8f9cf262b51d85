import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, deps } = users
const base = users.servers.ldap.base

const family = ['anna', 'bert', 'cora', 'dirk', 'emil', 'fritz', 'gerda']
for (const [n, uid] of family.entries())
  await deps.users.create({ uid, givenName: uid, sn: `Meier${9 - n}`, mail: `${uid}@meier.example` })

/** All pages of a listing, following `next`. */
async function pages(query: string): Promise<string[][]> {
  const all: string[][] = []
  for (let cursor = ''; ; ) {
    const { status, body, text } = await ask('GET', `?${query}${cursor}`, admin)
    if (status !== 200) throw new Error(text)
    all.push(body.results.map(({ uid }) => uid))
    if (body.next === undefined) return all
    cursor = `&cursor=${encodeURIComponent(body.next)}`
  }
}

test('with limit the answer carries next, absent on the last page; pages hold everybody once, in order', async (t) => {
  for (const limit of [1, 2, 3, 7, 8, 1000]) {
    const found = await pages(`limit=${limit}&q=meier`)
    t.same(found.flat(), family, `in pages of ${limit}, by uidNumber`)
    t.ok(found.every((page) => page.length <= limit && page.length > 0))
    t.equal(found.length, Math.ceil(family.length / limit))
  }
  t.same((await pages('limit=3&q=meier&sort=createTimestamp')).flat().sort(), family)
  t.same((await pages('limit=2&q=meier&sort=uid')).flat(), family)
  t.same((await pages('limit=3&q=meier&sort=mail')).flat(), family)
  t.same((await pages('limit=3&q=meier&sort=sn')).flat(), [...family].reverse())
})

test('order=desc turns each sort around, in pages and whole', async (t) => {
  const back = [...family].reverse()
  for (const limit of [1, 3, 7, 8])
    for (const [sort, wanted] of [
      ['uidNumber', back],
      ['uid', back],
      ['mail', back],
      ['sn', family],
    ] as const)
      t.same(
        (await pages(`limit=${limit}&q=meier&sort=${sort}&order=desc`)).flat(),
        wanted,
        `${sort} by ${limit}`,
      )
  t.same((await pages('limit=3&order=desc')).flat().slice(0, 7), back, 'everybody, the newest number first')
  const made = (await pages('limit=2&q=meier&sort=createTimestamp')).flat()
  t.same((await pages('limit=2&q=meier&sort=createTimestamp&order=desc')).flat(), made.reverse())
  const whole = await ask('GET', '?sort=sn&q=meier&order=desc', admin)
  t.same(
    whole.body.results.map(({ uid }) => uid),
    family,
  )
  t.match(await ask('GET', '?order=desc', admin), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await ask('GET', '?limit=3&order=up', admin), { status: 400, body: { name: 'InvalidInput' } })
})

test('without limit the whole list is answered, and no next', async (t) => {
  const { body } = await ask('GET', '', admin)
  t.same(Object.keys(body), ['results'])
  t.equal(body.results.length, family.length + 1)
  t.same(
    (await ask('GET', '?sort=sn&q=meier', admin)).body.results.map(({ uid }) => uid),
    [...family].reverse(),
  )
})

test('q of one or two characters matches beginnings, longer ones anywhere, in uid, mail and names', async (t) => {
  const found = async (q: string) => (await ask('GET', `?q=${q}`, admin)).body.results.map(({ uid }) => uid)
  t.same(await found('an'), ['anna'])
  t.same(await found('nn'), [], 'two characters inside a name')
  t.same(await found('nna'), ['anna'])
  t.same(await found('ERD'), ['gerda'], 'whatever the case')
  t.same((await found('@meier.ex')).sort(), family)
  t.same(await found('Meier9'), ['anna'])
  t.same(await found('no such text'), [])
})

test('a page and its cursor are good on every pod', async (t) => {
  await using pod = await users.secondPod()
  const { body } = await ask('GET', '?limit=3&q=meier', admin)
  const other = await pod.request<{ results: { uid: string }[] }>(
    'GET',
    `/api/user/?limit=3&q=meier&cursor=${body.next}`,
    {
      token: admin,
    },
  )
  t.same(
    other.body.results.map(({ uid }) => uid),
    family.slice(3, 6),
  )
})

test('a forged cursor is 400, as is one of another search or order, and one without limit', async (t) => {
  const { next = '' } = (await ask('GET', '?limit=3&q=meier', admin)).body
  const forged = Buffer.from(next, 'base64url')
  forged[forged.length - 2] = (forged[forged.length - 2] as number) ^ 1
  for (const query of [
    `limit=3&q=meier&cursor=${forged.toString('base64url')}`,
    'limit=3&q=meier&cursor=x',
    'limit=3&q=meier&cursor=',
    `limit=3&q=other&cursor=${next}`,
    `limit=3&q=meier&sort=sn&cursor=${next}`,
    `limit=3&q=meier&order=desc&cursor=${next}`,
    `limit=3&q=meier&state=active&cursor=${next}`,
    `q=meier&cursor=${next}`,
    'limit=0',
    'limit=1001',
    'limit=many',
    'sort=userPassword',
  ])
    t.match(await ask('GET', `?${query}`, admin), { status: 400, body: { name: 'InvalidInput' } }, query)
})

test('somebody made between two pages shifts nobody', async (t) => {
  const first = (await ask('GET', '?limit=4&q=meier', admin)).body
  await deps.users.remove('bert')
  const { uid } = await newUser(admin, { sn: 'Meier', mail: 'late@meier.example' })
  const rest = (await ask('GET', `?limit=100&q=meier&cursor=${first.next}`, admin)).body
  t.same(
    rest.results.map((user) => user.uid),
    [...family.slice(4), uid],
  )
})

test('no answer of the list names a password or anything the interface does not', async (t) => {
  const { text } = await ask('GET', '?detail', admin)
  t.notMatch(text, /userPassword|argon2|entryUUID|homeDirectory/i)
  t.match(text, base)
})

test('state lists who is locked, who is not, and whose password must be changed', async (t) => {
  const lost = await newUser(admin, { sn: 'Statham' })
  const fresh = await newUser(admin, { sn: 'Statham' })
  const own = await newUser(admin, { sn: 'Statham' })
  await deps.users.setActive(lost.uid, false)
  await deps.users.setPassword(own.uid, 'another password', { mustChange: false })
  const found = async (query: string) => (await pages(`q=statham&${query}`)).flat().sort()
  const sorted = (...people: { uid: string }[]) => people.map(({ uid }) => uid).sort()
  for (const by of ['limit=1', 'limit=10&sort=sn', 'limit=2&order=desc']) {
    t.same(await found(`${by}&state=locked`), sorted(lost), by)
    t.same(await found(`${by}&state=active`), sorted(fresh, own), by)
  }
  t.same((await pages('limit=5&state=locked')).flat(), [lost.uid], 'without a search')
  t.same(await found('limit=5&state=must_change'), sorted(lost, fresh))
  const whole = await ask('GET', '?state=locked', admin)
  t.same(
    whole.body.results.map(({ uid }) => uid),
    [lost.uid],
  )
  t.match(await ask('GET', '?state=lost', admin), { status: 400, body: { name: 'InvalidInput' } })
})
