import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import type { Group } from './support.ts'
import { groupTools, plainLdap } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, newGroup, newOwner, read, dnOf, audited } = await groupTools(service)
const plain = await newUser(admin)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`
const four = ['app_sso_admin', 'app_sso_directory_admin', 'app_sso_invite', 'app_sso_oauth_admin']

type List = { results: Group[]; next?: string }
const list = async (query: string, token = admin) =>
  (await request<List>('GET', `/api/group/${query}`, { token })).body
const names = ({ results }: List) => results.map(({ cn }) => cn)

test('every group endpoint requires authentication', async (t) => {
  const rows = [
    ['GET', ''],
    ['POST', ''],
    ['GET', 'devs'],
    ['PUT', 'owner/devs/bob'],
    ['DELETE', 'owner/devs/bob'],
    ['PUT', 'devs/bob'],
    ['DELETE', 'devs/bob'],
    ['PUT', 'devs/nested/leads'],
    ['DELETE', 'devs/nested/leads'],
    ['GET', 'devs/effective'],
    ['DELETE', 'devs'],
  ] as const
  for (const [method, path] of rows) {
    const { status, body } = await request(method, `/api/group/${path}`)
    t.equal(status, 401, `${method} ${path}`)
    t.equal(body.name, 'Unauthorized')
  }
})

test('GET /api/group/ answers any user cn and description of every group', async (t) => {
  const body = await list('', plain.token)
  t.same(
    names(body)
      .filter((cn) => cn.startsWith('app_sso_'))
      .sort(),
    four,
  )
  for (const group of body.results) t.same(Object.keys(group), ['cn', 'description'])
})

test('GET /api/group/?detail answers full objects, unless it is false or 0', async (t) => {
  for (const query of ['?detail', '?detail=true', '?detail=1&limit=100']) {
    const group = (await list(query, plain.token)).results.find(({ cn }) => cn === 'app_sso_admin')
    t.same(group?.member, [adminDn], query)
    t.same(group?.owner, [adminDn], query)
  }
  for (const query of ['', '?detail=false', '?detail=0', '?detail=0&limit=100'])
    for (const group of (await list(query)).results) t.same(Object.keys(group), ['cn', 'description'], query)
})

test('GET /api/group/?member= filters to the groups that list the user directly', async (t) => {
  const [outer, inner] = [await newGroup(), await newGroup()]
  const user = await newUser(admin)
  await ask('PUT', `${inner}/${user.uid}`)
  await ask('PUT', `${outer}/nested/${inner}`)
  t.same(names(await list(`?member=${user.uid}`)), [inner])
  t.same(names(await list(`?member=${user.uid.toUpperCase()}`)), [inner])
  t.same(names(await list(`?member=${user.uid}&limit=10`)), [inner])
  for (const nobody of ['nobody', '*', 'a)(cn=*', ''])
    t.same(names(await list(`?member=${encodeURIComponent(nobody)}`)), [], `"${nobody}"`)
})

test('GET /api/group/?owner= filters to the groups that name the user as an owner', async (t) => {
  const [own, other] = [await newGroup(), await newGroup()]
  const { uid } = await newOwner(own)
  await ask('PUT', `${other}/${uid}`)
  t.same(names(await list(`?owner=${uid}`)), [own])
  t.same(names(await list(`?owner=${uid.toUpperCase()}&limit=10&detail=true`, plain.token)), [own])
  t.same(names(await list(`?owner=${uid}&sort=cn&limit=1`)), [own])
  t.same(names(await list(`?owner=${uid}&member=${uid}`)), [])
  t.same(names(await list(`?owner=${uid}&q=${other}`)), [])
  for (const nobody of ['nobody', '*', 'a)(cn=*', ''])
    t.same(names(await list(`?owner=${encodeURIComponent(nobody)}`)), [], `"${nobody}"`)
})

test('POST /api/group/ makes a group; the caller becomes owner and is seeded as member', async (t) => {
  const { status, body } = await ask('POST', '', admin, { name: 'devs', description: 'They develop' })
  t.equal(status, 200)
  t.same(body.results, { cn: 'devs' })
  t.type(body.message, 'string')
  t.same(await read('devs'), { cn: 'devs', description: 'They develop', member: [adminDn], owner: [adminDn] })
  t.ok((await audited('group.create')).some(({ actor, target }) => actor === 'admin' && target === 'devs'))
})

test('a new group is a posixGroup with a gidNumber that nobody else has', async (t) => {
  const ldap = await plainLdap(service)
  const numbers: string[] = []
  for (const cn of [await newGroup(), await newGroup()]) {
    const { searchEntries } = await ldap.search(dnOf(cn), { scope: 'base' })
    t.match(searchEntries[0]?.objectClass, ['groupOfNames', 'posixGroup'])
    numbers.push(String(searchEntries[0]?.gidNumber))
  }
  await ldap.unbind()
  t.ok(numbers.every((number) => Number(number) >= 10_000))
  t.equal(new Set(numbers).size, 2)
})

test('a group may be made without a description, which then is empty', async (t) => {
  t.equal((await ask('POST', '', admin, { name: 'undescribed' })).status, 200)
  t.equal((await read('undescribed')).description, '')
  t.equal((await ask('POST', '', admin, { name: 'undescribed-2', description: '' })).status, 200)
})

test('making a group needs app_sso_admin, whatever else the caller owns', async (t) => {
  const owner = await newOwner(await newGroup())
  for (const { token } of [plain, owner]) {
    const { status, body } = await ask('POST', '', token, { name: 'mine', description: '' })
    t.equal(status, 401)
    t.equal(body.name, 'InsufficientPermission')
  }
  t.equal((await ask('GET', 'mine')).status, 404)
})

test('a taken name is 409 AlreadyExists in any case, full width or with blanks around', async (t) => {
  await newGroup('Taken')
  for (const name of ['Taken', 'TAKEN', 'taken', ' Taken ', 'Ｔａｋｅｎ', 'app_sso_admin', 'APP_SSO_ADMIN']) {
    const { status, body } = await ask('POST', '', admin, { name, description: '' })
    t.equal(status, 409, name)
    t.equal(body.name, 'AlreadyExists')
  }
})

test('of 20 simultaneous creates of one name one succeeds', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ask('POST', '', admin, { name: 'contested' })),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ body }) => body.name === 'AlreadyExists').length, 19)
})

test('a name or body that is not valid is 400 InvalidInput naming the field', async (t) => {
  const bad: [unknown, RegExp][] = [
    [{ name: '-devs' }, /name/],
    [{ name: '' }, /name/],
    [{ name: 'a'.repeat(65) }, /name/],
    [{ name: 'devs\u0000' }, /name/],
    [{ name: 'de\u200Bvs' }, /name/],
    [{ name: 'dеvs' }, /name/], // a Cyrillic е
    [{ name: 'devs,ou=people' }, /name/],
    [{ name: 'devs*' }, /name/],
    [{ name: 'owner' }, /name/],
    [{ name: 7 }, /name/],
    [{ name: ['devs'] }, /name/],
    [{ description: 'nameless' }, /name/],
    [{ name: 'fine', description: 7 }, /description/],
    [{ name: 'fine', description: 'x'.repeat(1025) }, /description/],
    [{ name: 'fine', gidNumber: 0 }, /gidNumber/],
    [{ name: 'fine', member: [] }, /member/],
    [[], /./],
  ]
  for (const [input, message] of bad) {
    const { status, body } = await ask('POST', '', admin, input)
    t.equal(status, 400, JSON.stringify(input))
    t.equal(body.name, 'InvalidInput')
    t.match(body.message, message)
  }
  t.equal((await ask('GET', 'fine')).status, 404)
})

test('GET /api/group/:name answers any user the group, by its name in any spelling; 404 for none', async (t) => {
  await newGroup('Two words')
  for (const spelling of ['Two words', 'two WORDS', ' Two words ', 'Ｔｗｏ words']) {
    const { status, body } = await ask('GET', encodeURIComponent(spelling), plain.token)
    t.equal(status, 200, spelling)
    t.match(body.results, {
      cn: 'Two words',
      description: 'for Two words',
      member: [adminDn],
      owner: [adminDn],
    })
  }
  const { status, body } = await ask('GET', 'none', plain.token)
  t.equal(status, 404)
  t.equal(body.name, 'NotFound')
})

test('filter and DN metacharacters and NUL in a cn never reach another group (attacks row 28)', async (t) => {
  const before = await list('?detail')
  const hostile = [
    '*',
    'app*',
    'app_sso_admin)(cn=*',
    'x)(|(cn=*',
    'app_sso_admin,ou=groups',
    'cn=app_sso_admin',
  ]
  for (const name of [
    ...hostile,
    '\\2a',
    'app_sso_admin\\',
    '"app_sso_admin"',
    'app_sso_admin#',
    '..',
    '%00',
  ])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', `/${plain.uid}`],
      ['PUT', '/nested/app_sso_invite'],
      ['GET', '/effective'],
    ] as const) {
      const { status } = await ask(method, `${encodeURIComponent(name)}${path}`)
      t.equal(status, 404, `${method} ${name}${path}`)
    }
  for (const name of ['app_sso_admin%00', 'app%E2%80%8B_sso_admin', '%E2%80%AEapp_sso_admin']) {
    const { status, body } = await ask('GET', name)
    t.equal(status, 400, name)
    t.equal(body.name, 'InvalidInput')
  }
  t.same(await list('?detail'), before)
})
