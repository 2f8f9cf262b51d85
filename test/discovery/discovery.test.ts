import tap, { test } from 'tap'
import type { Resource } from '#test/directory/support.ts'
import { directoryTools } from '#test/directory/support.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const pod = await service.secondPod()
const searching = await service.secondPod({ app_ldap__groups__graph: 'false' })
const { newUser } = service
const { ask, admin, newResource, newGroup, newLink, newEdge } = await directoryTools(service)
tap.teardown(async () => {
  for (const each of [searching, pod, service]) await each[Symbol.asyncDispose]()
})

type Seen = Resource & {
  accessLevel: string
  via: string[]
  address?: string
  hasAccess: boolean
  requestable: boolean
}
const get = async <T = Seen[]>(path: string, token: string, at: Pick<typeof pod, 'request'> = service) =>
  (await at.request<{ results: T; next?: string }>('GET', `/api/discovery/${path}`, { token })).body
const slugsOf = async (path: string, token: string, at?: Pick<typeof pod, 'request'>) =>
  (await get(path, token, at)).results.map(({ slug }) => slug)

test('GET /api/discovery/me: a user outside all groups sees only public resources', async (t) => {
  const outsider = await newUser(admin)
  const open = await newResource('host', { metadata: { isPublic: true, address: 'open.example' } })
  const granted = await newResource('host')
  const hidden = await newResource('host', { metadata: { requestable: true } })
  const member = await newUser(admin)
  await newLink(granted.id, await newGroup({ uids: [member.uid] }))
  const mine = (await get('me', outsider.token)).results
  t.match(
    mine.find(({ slug }) => slug === open.slug),
    { accessLevel: 'public', via: [], address: 'open.example' },
  )
  for (const { metadata } of mine) t.equal(metadata.isPublic, true)
  const theirs = await slugsOf('me', member.token)
  t.ok([open, granted].every(({ slug }) => theirs.includes(slug)))
  t.notOk(theirs.includes(hidden.slug))
})

test('via names the right chain through nested groups, the shortest of several, on pods with and without the groups in memory', async (t) => {
  const person = await newUser(admin)
  const direct = await newGroup({ uids: [person.uid] })
  const middle = await newGroup({ nested: [direct] })
  const outer = await newGroup({ nested: [middle] })
  const both = await newGroup({ nested: [outer, middle] })
  const cases = [
    [direct, 'access', [direct]],
    [middle, 'access', [middle, direct]],
    [outer, 'admin', [outer, middle, direct]],
    [both, 'access', [both, middle, direct]],
  ] as const
  for (const [group, level, via] of cases) {
    const { id, slug } = await newResource('host')
    await newLink(id, group, level)
    for (const at of [service, pod, searching])
      t.match(
        (await get('me', person.token, at)).results.find((each) => each.slug === slug),
        {
          accessLevel: level,
          via,
        },
      )
  }
  const { id, slug } = await newResource('service')
  await newLink(id, direct)
  await newLink(id, outer, 'admin')
  const found = (await get('me', person.token)).results.find((each) => each.slug === slug)
  t.match(found, { accessLevel: 'admin', via: [outer, middle, direct] }, 'the higher level first')
  const twice = await newResource('service')
  for (const group of [outer, middle, direct]) await newLink(twice.id, group)
  const near = (await get('me', person.token)).results.find((each) => each.slug === twice.slug)
  t.match(near, { accessLevel: 'access', via: [direct] }, 'then the shorter chain')
})

test('a link reaches the members of its group however the name is spelled', async (t) => {
  const person = await newUser(admin)
  const name = `Group-${Date.now()}-MiXed`
  const { status } = await service.request('POST', '/api/group/', { token: admin, body: { name } })
  t.equal(status, 200)
  await service.request('PUT', `/api/group/${name.toLowerCase()}/${person.uid}`, { token: admin })
  const { id, slug } = await newResource('host')
  await newLink(id, name.toUpperCase())
  for (const at of [service, pod, searching]) t.ok((await slugsOf('me', person.token, at)).includes(slug))
  await service.request('DELETE', `/api/group/${name.toUpperCase()}`, { token: admin })
  t.notOk((await slugsOf('me', person.token)).includes(slug), 'and is gone with it')
})

test('removing the group link hides the resource at once, on every pod; so does leaving the group', async (t) => {
  const person = await newUser(admin)
  const group = await newGroup({ uids: [person.uid] })
  for (let round = 0; round < 5; round++) {
    const { id, slug } = await newResource('host')
    const link = await newLink(id, group)
    for (const at of [service, pod]) t.ok((await slugsOf('me', person.token, at)).includes(slug))
    await ask('DELETE', `groups/${link.id}`)
    for (const at of [pod, service]) t.notOk((await slugsOf('me', person.token, at)).includes(slug))
  }
  const { id, slug } = await newResource('host')
  await newLink(id, group)
  t.ok((await slugsOf('me', person.token, pod)).includes(slug))
  await service.request('DELETE', `/api/group/${group}/${person.uid}`, { token: admin })
  t.notOk((await slugsOf('me', person.token)).includes(slug))
})

test('an address is inherited from the nearest ancestor that has one', async (t) => {
  const person = await newUser(admin)
  const isPublic = true
  const site = await newResource('site', { metadata: { address: 'far.example' } })
  const host = await newResource('host', { parentId: site.id, metadata: { isPublic } })
  const near = await newResource('host', { metadata: { ip: '192.0.2.7' } })
  const outer = await newResource('service', { parentId: host.id, metadata: { isPublic } })
  const inner = await newResource('service', { parentId: outer.id, metadata: { isPublic } })
  const addressOf = async ({ slug }: Resource) =>
    (await get('me', person.token)).results.find((each) => each.slug === slug)?.address
  for (const each of [host, outer, inner]) t.equal(await addressOf(each), 'far.example')
  const edge = await newEdge(near.id, inner.id)
  t.equal(await addressOf(inner), '192.0.2.7')
  await ask('DELETE', `edges/${edge.id}`)
  await ask('PUT', `resources/${inner.id}`, { metadata: { isPublic, address: 'https://own.example' } })
  t.equal(await addressOf(inner), 'https://own.example')
  await ask('PUT', `resources/${site.id}`, { metadata: {} })
  t.equal(await addressOf(outer), undefined)
  const hosts = await Promise.all(
    Array.from({ length: 6 }, (_, n) => newResource('host', { metadata: { address: `host${n}.example` } })),
  )
  const parents = hosts.map(({ id }) => id)
  const between = await newResource('service', { parents, metadata: { isPublic } })
  t.same((await ask('GET', `resources/${between.id}`)).body.results.parents, parents)
  await using later = await service.secondPod()
  for (const at of [service, pod, later])
    t.equal(
      (await get('me', person.token, at)).results.find(({ slug }) => slug === between.slug)?.address,
      hosts[0]?.metadata.address,
      'of several equally near ones the first',
    )
})

test('GET /api/discovery/resources and GET /api/discovery/resources/:slug show public metadata only, and nothing of what is out of reach and cannot be asked for', async (t) => {
  const person = await newUser(admin)
  const group = await newGroup({ uids: [person.uid] })
  const other = await newGroup()
  const metadata = { tagline: 'For all', rack: 'private rack', note: 'private note' }
  const mine = await newResource('host', { metadata: { ...metadata, requestable: true }, owner: person.uid })
  await newLink(mine.id, group)
  const offered = await newResource('host', { metadata: { ...metadata, requestable: true } })
  await newLink(offered.id, other)
  const halfPublic = await newResource('host', {
    metadata: { ...metadata, requestable: true, isPublic: true },
  })
  await newLink(halfPublic.id, other)
  const admins = await newResource('host', { metadata: { ...metadata, requestable: true } })
  await newLink(admins.id, other, 'admin')
  const hidden = await newResource('host', { metadata })
  await newLink(hidden.id, other)
  const all = (await get('resources', person.token)).results
  const cases = [
    [mine, { hasAccess: true, requestable: false }],
    [offered, { hasAccess: false, requestable: true }],
    [halfPublic, { hasAccess: true, requestable: true }],
  ] as const
  for (const [{ slug }, expected] of cases) {
    const one = (await get<Seen>(`resources/${slug}`, person.token)).results
    t.match(one, { slug, ...expected })
    t.equal(one.metadata.tagline, 'For all')
    t.same(
      all.find((each) => each.slug === slug),
      one,
    )
    for (const field of ['owner', 'created_by', 'parents']) t.notOk(field in one, field)
  }
  for (const { slug } of [admins, hidden]) {
    t.notOk(all.some((each) => each.slug === slug))
    const answer = await service.request('GET', `/api/discovery/resources/${slug}`, { token: person.token })
    t.match(answer, { status: 404, body: { name: 'NotFound' } })
  }
  const texts = await Promise.all(
    ['me', 'resources', 'graph', `resources/${mine.slug}`].map((path) =>
      service.request('GET', `/api/discovery/${path}`, { token: person.token }),
    ),
  )
  for (const { text } of texts) t.notMatch(text, /private|rack|note/)
})

test('GET /api/discovery/graph holds what the caller may know of, and the edges among it', async (t) => {
  const person = await newUser(admin)
  const host = await newResource('host', { metadata: { isPublic: true } })
  const open = await newResource('service', { parentId: host.id, metadata: { isPublic: true } })
  const hidden = await newResource('service', { parentId: host.id })
  const below = await newResource('service', { parents: [hidden.id, open.id], metadata: { isPublic: true } })
  type Graph = { nodes: { id: string; hasAccess: boolean }[]; edges: { parentId: string; childId: string }[] }
  const { nodes, edges } = (await get<Graph>('graph', person.token)).results
  const ids = nodes.map(({ id }) => id)
  t.ok([host, open, below].every(({ id }) => ids.includes(id)))
  t.notOk(ids.includes(hidden.id))
  t.notOk(edges.some(({ parentId, childId }) => [parentId, childId].includes(hidden.id)))
  for (const [parentId, childId] of [
    [host.id, open.id],
    [open.id, below.id],
  ])
    t.ok(edges.some((edge) => edge.parentId === parentId && edge.childId === childId))
})

test('lists of discovery come whole, by pages and by search; a forged cursor is 400', async (t) => {
  const person = await newUser(admin)
  for (let n = 0; n < 5; n++) await newResource('host', { name: `Paged ${n}`, metadata: { isPublic: true } })
  await newResource('host', { slug: 'the-slug-of-one', metadata: { isPublic: true } })
  for (const list of ['me', 'resources']) {
    const all = await slugsOf(list, person.token)
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const page = await get(`${list}?limit=2${cursor}`, person.token)
      paged.push(...page.results.map(({ slug }) => slug))
      if (!page.next) break
      cursor = `&cursor=${page.next}`
    }
    t.same(paged, all)
    t.equal((await get(`${list}?q=PAGED`, person.token)).results.length, 5)
    t.same(await slugsOf(`${list}?q=the-SLUG`, person.token), ['the-slug-of-one'])
    const forged = `/api/discovery/${list}?limit=2&cursor=forged`
    t.equal((await service.request('GET', forged, { token: person.token })).status, 400)
  }
})
