import tap, { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

async function suggestions(fields: Record<string, string>): Promise<string[]> {
  const { status, body, text } = await request(
    'GET',
    `/api/auth/username-suggestions?${new URLSearchParams(fields)}`,
  )
  if (status !== 200) throw new Error(text)
  return body.suggestions as string[]
}
const remove = (uid: string) => request('DELETE', `/api/user/${uid}`, { token: admin })

test('GET /api/auth/username-suggestions answers suggestions: the usual forms first, year variants with dob', async (t) => {
  t.same(await suggestions({ givenName: 'John', sn: 'Smith', dob: '1987-05-04' }), [
    ...['jsmith', 'johnsmith', 'john.smith', 'johns', 'jsmith1987', 'johnsmith1987'],
  ])
  const plain = await suggestions({ givenName: 'John', sn: 'Smith' })
  t.equal(plain.length, 6)
  t.notMatch(plain.join(), /19|87/)
  t.same(await suggestions({ givenName: 'John', sn: 'Smith', dob: '' }), plain, 'an empty date is none')
})

test('suggestions are ASCII-folded and could all be names of accounts', async (t) => {
  const all = await Promise.all([
    suggestions({ givenName: 'Zoë', sn: 'Strauß-Øster', dob: '2001-01-01' }),
    suggestions({ givenName: 'Łukasz', sn: 'Þórsson' }),
    suggestions({ givenName: '7of9', sn: "O'Brien" }),
    suggestions({ givenName: 'A'.repeat(120), sn: 'B'.repeat(120), dob: '1999-09-09' }),
    suggestions({ givenName: 'Ｊｏｈｎ', sn: 'Smith' }),
  ])
  t.ok(all[0]?.includes('zstraussoster'))
  t.ok(all[1]?.includes('lthorsson'))
  t.ok(all[2]?.includes('obrien') || all[2]?.includes('oobrien'))
  t.ok(all[4]?.includes('john.smith'))
  for (const uid of all.flat()) t.match(uid, /^[a-z][a-z0-9._-]{0,31}$/)
  for (const some of all) t.ok(some.length <= 6 && new Set(some).size === some.length)
  t.same(await suggestions({ givenName: '太郎', sn: '山田' }), [], 'nothing of it is ASCII')
  t.notOk((await suggestions({ givenName: 'M', sn: 'E' })).includes('me'), 'no word of the service itself')
})

test('suggestions hold only free ones', async (t) => {
  await newUser(admin, { uid: 'tuser' })
  await newUser(admin, { uid: 'test.user' })
  const free = await suggestions({ givenName: 'Test', sn: 'User' })
  t.notOk(free.includes('tuser') || free.includes('test.user'))
  t.ok(free.includes('testuser'))
})

test('suggestions cost one search', async (t) => {
  const before = await service.roundTrips()
  await suggestions({ givenName: 'One', sn: 'Search', dob: '1970-01-01' })
  t.equal((await service.roundTrips()).ldap - before.ldap, 1)
})

test('a deleted uid is remembered: never suggested again, and only an admin can create it anew', async (t) => {
  await newUser(admin, { uid: 'gpast' })
  t.equal((await remove('gpast')).status, 200)
  t.notOk((await suggestions({ givenName: 'Gone', sn: 'Past' })).includes('gpast'))
  const anew = await newUser(admin, { uid: 'gpast' })
  t.equal(anew.uid, 'gpast')
  await remove('gpast')
  t.notOk((await suggestions({ givenName: 'Gone', sn: 'Past' })).includes('gpast'))
})

test('suggestions need both names, and a date that is one', async (t) => {
  for (const query of ['', 'givenName=A', 'sn=B', 'givenName=&sn=B', 'givenName=A&sn=B&dob=tomorrow'])
    t.match(await request('GET', `/api/auth/username-suggestions?${query}`), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
})

test('suggestions are limited to 30 requests per 15 minutes per address', async (t) => {
  const address = freshAddress()
  const ask = () => request('GET', '/api/auth/username-suggestions?givenName=A&sn=B', { address })
  for (let n = 0; n < 30; n++) t.equal((await ask()).status, 200)
  const { status, body, headers } = await ask()
  t.match({ status, body }, { status: 429, body: { name: 'TooManyRequests' } })
  t.match(headers.get('retry-after'), /^\d+$/)
})
