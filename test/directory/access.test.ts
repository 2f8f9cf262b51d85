import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { directoryTools } from './support.ts'

const service = await startTestService()
const searching = await service.secondPod({ app_ldap__groups__graph: 'false' })
const { newUser, request } = service
const { ask, admin, keeper, newResource, newGroup, newLink } = await directoryTools(service)
tap.teardown(async () => {
  for (const each of [searching, service]) await each[Symbol.asyncDispose]()
})

type Row = { id: string; slug: string; isPublic: boolean; count: number; groups: object[]; users?: string[] }
type Page = { results: Row[]; next?: string }
const summary = async (query = '', at: Pick<typeof service, 'request'> = service) =>
  (await at.request<Page>('GET', `/api/directory-admin/access-summary${query}`, { token: keeper.token })).body

test('GET /api/directory-admin/access-summary counts distinct users through all linked groups, with and without the groups in memory', async (t) => {
  const [one, two, three] = [await newUser(admin), await newUser(admin), await newUser(admin)]
  const inner = await newGroup({ uids: [one.uid, two.uid] })
  const outer = await newGroup({ uids: [three.uid], nested: [inner] })
  const host = await newResource('host', { metadata: { isPublic: true } })
  await newLink(host.id, inner, 'admin')
  await newLink(host.id, outer)
  const alone = await newResource('host')
  for (const at of [service, searching]) {
    const rows = (await summary('?detail', at)).results
    const found = rows.find(({ id }) => id === host.id)
    // The first administrator made the groups and is in each.
    t.match(found, { slug: host.slug, isPublic: true, count: 4 })
    t.same(found?.groups, [
      { groupCn: inner, accessLevel: 'admin' },
      { groupCn: outer, accessLevel: 'access' },
    ])
    const dns = [one.dn, two.dn, three.dn, `uid=${service.admin.uid},ou=people,${service.servers.ldap.base}`]
    t.same(new Set(found?.users), new Set(dns))
    t.match(
      rows.find(({ id }) => id === alone.id),
      { isPublic: false, count: 0, groups: [], users: [] },
    )
    t.notOk('users' in ((await summary('', at)).results[0] ?? {}), 'only with detail')
  }
  await request('DELETE', `/api/group/${inner}/${two.uid}`, { token: admin })
  t.equal((await summary()).results.find(({ id }) => id === host.id)?.count, 3, 'at once')
})

test('the access summary comes by pages and by search', async (t) => {
  for (let n = 0; n < 4; n++) await newResource('host', { name: `Counted ${n}` })
  const all = (await summary()).results
  const paged: Row[] = []
  for (let cursor = ''; ; ) {
    const page = await summary(`?limit=2${cursor}`)
    paged.push(...page.results)
    if (!page.next) break
    cursor = `&cursor=${page.next}`
  }
  t.same(paged, all)
  t.equal((await summary('?q=counted')).results.length, 4)
  t.equal((await ask('GET', 'access-summary?limit=2&cursor=forged')).status, 400)
})

test('GET /api/directory-admin/user-access/:uid answers what a user can reach and every chain of groups that grants it', async (t) => {
  const person = await newUser(admin)
  const direct = await newGroup({ uids: [person.uid] })
  const outer = await newGroup({ nested: [direct] })
  const host = await newResource('host', { metadata: { address: 'host.example' } })
  const app = await newResource('service', { parentId: host.id })
  const open = await newResource('service', { metadata: { isPublic: true } })
  const hidden = await newResource('service')
  await newLink(hidden.id, await newGroup())
  await newLink(app.id, direct)
  await newLink(app.id, outer, 'admin')
  type Access = { uid: string; isActive: boolean; results: { id: string }[] }
  for (const at of [service, searching]) {
    const path = `/api/directory-admin/user-access/${person.uid.toUpperCase()}`
    const { status, body } = await at.request<Access>('GET', path, { token: keeper.token })
    t.equal(status, 200)
    t.match(body, { uid: person.uid, isActive: true })
    const found = new Map(body.results.map((each) => [each.id, each]))
    t.match(found.get(app.id), {
      ...{ address: 'host.example', accessLevel: 'admin', via: [outer, direct] },
      groups: [
        { groupCn: outer, accessLevel: 'admin', via: [outer, direct] },
        { groupCn: direct, accessLevel: 'access', via: [direct] },
      ],
    })
    t.match(found.get(open.id), { accessLevel: 'public', via: [], groups: [] })
    t.notOk(found.has(hidden.id))
  }
  await request('PUT', `/api/user/${person.uid}/active`, { token: admin, body: { active: false } })
  t.match(await ask(`GET`, `user-access/${person.uid}`), { status: 200, body: { isActive: false } })
  t.match(await ask('GET', 'user-access/nobody'), { status: 404, body: { name: 'NotFound' } })
})

test('with 50 and with 500 resources each of the three answers costs the same number of round trips', async (t) => {
  const person = await newUser(admin)
  const groups = await Promise.all(Array.from({ length: 20 }, () => newGroup({ uids: [person.uid] })))
  const { resources } = service.deps.store
  const made = { created_by: 'bench', created_on: 1 }
  /** As many as there should be, each linked to one of the groups. */
  async function fill(from: number, to: number) {
    for (let n = from; n < to; n++) {
      const id = `bulk-${n}`
      const record = {
        ...made,
        id,
        kind: 'host' as const,
        name: id,
        slug: id,
        owner: null,
        description: '',
        metadata: {},
      }
      const link = {
        ...made,
        id,
        resourceId: id,
        groupCn: groups[n % 20] as string,
        accessLevel: 'access' as const,
      }
      await resources.change(() => ({
        ops: [
          ['resources', id, { ...record, updated_by: 'bench', updated_on: 1 }],
          ['links', id, link],
        ],
        value: undefined,
      }))
    }
  }
  const paths = {
    '/api/discovery/me': person.token,
    '/api/directory-admin/access-summary': keeper.token,
    [`/api/directory-admin/user-access/${person.uid}`]: keeper.token,
  }
  async function tripsOf(path: string, token: string) {
    await until('the groups are answered from memory', async () => {
      const { ldap } = await service.roundTrips()
      await service.deps.groups.chainsOf(person.dn)
      return (await service.roundTrips()).ldap - ldap === 1
    })
    await service.deps.accounts.changed({ group: '' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = await service.roundTrips()
    const { status, text } = await request('GET', path, { token })
    t.equal(status, 200)
    const after = await service.roundTrips()
    const { results } = JSON.parse(text) as { results: { id: string }[] }
    return {
      found: results.filter(({ id }) => id.startsWith('bulk-')).length,
      ldap: after.ldap - before.ldap,
      redis: after.redis - before.redis,
    }
  }
  const least = <K extends string>(tries: Record<K, number>[], system: K) =>
    Math.min(...tries.map((each) => each[system]))
  const counted: Record<string, { ldap: number; redis: number }[]> = {}
  for (const [from, to] of [
    [0, 50],
    [50, 500],
  ] as const) {
    await fill(from, to)
    for (const [path, token] of Object.entries(paths)) {
      await request('GET', path, { token }) // whatever a first answer costs
      const tries: Awaited<ReturnType<typeof tripsOf>>[] = []
      while (tries.length < 5) tries.push(await tripsOf(path, token))
      for (const { found } of tries) t.equal(found, to, path)
      // Where the news of groups is late, searches answer: such a try costs more.
      const [ldap, redis] = [least(tries, 'ldap'), least(tries, 'redis')]
      t.ok(ldap > 0 && redis > 0 && ldap + redis <= 6, `${path}: ${ldap} LDAP, ${redis} Redis`)
      counted[path] = [...(counted[path] ?? []), { ldap, redis }]
    }
  }
  for (const [path, [small, large]] of Object.entries(counted)) t.same(large, small, path)
})
