import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import type { Resource } from './support.ts'
import { directoryTools } from './support.ts'

const service = await startTestService()
const { ask, keeper, newResource, newGroup, newLink, newEdge, read, audited } = await directoryTools(service)
tap.teardown(() => service[Symbol.asyncDispose]())

const refused = (status: number, name: string, message?: RegExp) => ({
  status,
  body: { name, ...(message ? { message } : {}) },
})

test('POST /api/directory-admin/resources makes a resource of each kind below its parents, and a fresh read shows it', async (t) => {
  const before = Date.now()
  const site = await newResource('site', { name: 'Düsseldorf – Haus 3' })
  t.match(site, {
    kind: 'site',
    slug: 'dusseldorf-haus-3',
    owner: null,
    description: '',
    metadata: {},
    parents: [],
  })
  t.match(site, { created_by: keeper.uid, updated_by: keeper.uid })
  t.ok(Number(site.created_on) >= before && site.updated_on === site.created_on)
  const host = await newResource('host', { parentSlug: site.slug, owner: keeper.uid.toUpperCase() })
  t.equal(host.owner, keeper.uid, 'as the account spells it')
  const metadata = { isPublic: true, port: 443, address: 'https://x.example', rack: 'B4', height: 2 }
  const outer = await newResource('service', { parentId: host.id, metadata, description: 'Outer' })
  const inner = await newResource('service', { parents: [outer.id, host.id], slug: 'inner' })
  t.same(new Set(inner.parents), new Set([outer.id, host.id]))
  for (const made of [site, host, outer, inner]) t.same(await read(made.id), made)
  t.same((await read(outer.id)).metadata, metadata)
  t.same(await audited(host.id), ['resource.create'])
})

test('POST of a resource is 400 for a parent of the wrong kind or none, an unknown owner or field, and 409 for a taken slug', async (t) => {
  const site = await newResource('site', { slug: 'taken' })
  const host = await newResource('host')
  const post = (body: object) => ask('POST', 'resources', { name: 'N', ...body })
  for (const body of [
    { kind: 'site', parentId: site.id },
    { kind: 'host', parentId: host.id },
    { kind: 'service', parentId: site.id },
    { kind: 'oauth', parentId: host.id, redirect_uris: ['https://a.example/cb'] },
    { kind: 'service', parents: ['nobody'] },
    { kind: 'service', parentSlug: 'nobody' },
  ])
    t.match(await post(body), refused(400, 'InvalidInput', /^parent/), JSON.stringify(body))
  t.match(await post({ kind: 'site', slug: 'taken' }), refused(409, 'AlreadyExists', /slug/))
  t.match(await post({ kind: 'site', owner: 'nobody' }), refused(400, 'InvalidInput', /owner/))
  t.match(await post({ kind: 'site', redirect_uris: [] }), refused(400, 'InvalidInput', /redirect_uris/))
  t.match(await post({ kind: 'site', slug: 'applications' }), refused(400, 'InvalidInput', /slug/))
  for (const slug of ['A', 'a b', '-a', 'a--b', '', 'x'.repeat(65)])
    t.match(await post({ kind: 'site', slug }), refused(400, 'InvalidInput', /slug/), slug)
  for (const body of [{ kind: 'room' }, { kind: 'site', created_by: 'me' }, { kind: 'site', id: 'x' }])
    t.match(await post(body), refused(400, 'InvalidInput'))
})

test('metadata keys that speak of a secret, password, token or key are refused, at POST and at PUT', async (t) => {
  const { id } = await newResource('host')
  for (const metadata of [
    { clientSecret: 'x' },
    { rootPassword: 'x' },
    { apiTOKEN: 'x' },
    { sshKey: 'x' },
    { _proto_: 'x' },
    { 'a b': 'x' },
    { nested: { a: 1 } },
    { isPublic: 'yes' },
    { port: 0 },
    { docs: 'javascript:alert(1)' },
    { address: ' JavaScript:alert(1)' },
    { icon: 'data:image/svg+xml,x' },
    { tagline: 'a\u0000b' },
  ])
    for (const answer of [
      await ask('POST', 'resources', { kind: 'host', name: 'N', metadata }),
      await ask('PUT', `resources/${id}`, { metadata }),
    ])
      t.match(answer, refused(400, 'InvalidInput', /metadata/), JSON.stringify(metadata))
  t.same((await read(id)).metadata, {})
})

test('PUT /api/directory-admin/resources/:id changes what is given and leaves the rest; metadata is replaced whole', async (t) => {
  const made = await newResource('host', { owner: keeper.uid, metadata: { rack: 'B4', isPublic: true } })
  const cases: [string, unknown][] = [
    ['name', 'Renamed'],
    ['description', 'Second'],
    ['slug', 'renamed-host'],
    ['metadata', { rack: 'B5' }],
    ['owner', null],
  ]
  let expected = made
  for (const [field, value] of cases) {
    const { status, body } = await ask('PUT', `resources/${made.id}`, { [field]: value })
    t.equal(status, 200, field)
    expected = { ...expected, [field]: value, updated_on: body.results.updated_on }
    t.same(body.results, expected)
    t.same(await read(made.id), expected, 'and stays so')
  }
  const again = await newResource('host', { slug: made.slug })
  t.equal(again.slug, made.slug, 'the slug it had is free')
  t.match(await ask('PUT', `resources/${again.id}`, { slug: 'renamed-host' }), refused(409, 'AlreadyExists'))
  t.match(await ask('PUT', `resources/${again.id}`, { kind: 'site' }), refused(400, 'InvalidInput', /kind/))
  t.match(
    await ask('PUT', `resources/${again.id}`, { scopes: ['a'] }),
    refused(400, 'InvalidInput', /scopes/),
  )
  t.match(
    await ask('PUT', `resources/${again.id}`, { owner: 'nobody' }),
    refused(400, 'InvalidInput', /owner/),
  )
  t.match(await ask('PUT', 'resources/nobody', { name: 'N' }), refused(404, 'NotFound'))
})

test('DELETE /api/directory-admin/resources/:id takes edges and links with it, and is 409 Conflict while something lies below', async (t) => {
  const site = await newResource('site')
  const host = await newResource('host', { parentId: site.id })
  await newLink(host.id, await newGroup())
  t.match(await ask('DELETE', `resources/${site.id}`), refused(409, 'Conflict'))
  const { status, body } = await ask<{ id: string }>('DELETE', `resources/${host.id}`)
  t.equal(status, 200)
  t.equal(body.id, host.id)
  t.match(await ask('GET', `resources/${host.id}`), refused(404, 'NotFound'))
  t.match(await ask('DELETE', `resources/${host.id}`), refused(404, 'NotFound'))
  for (const list of ['edges', 'groups'])
    t.same((await ask('GET', `${list}?resourceId=${host.id}`)).body.results, [])
  t.equal((await ask('DELETE', `resources/${site.id}`)).status, 200)
  t.same(await audited(host.id), ['resource.create', 'resource.link.add', 'resource.delete'])
})

test('GET /api/directory-admin/resources lists whole, by pages, by kind and by search', async (t) => {
  const site = await newResource('site', { name: 'Listed site' })
  for (let n = 0; n < 5; n++) await newResource('host', { name: `Listed ${n}`, parentId: site.id })
  const list = async (query: string) =>
    (await ask<{ results: Resource[]; next?: string }>('GET', `resources?${query}`)).body
  const all = (await list('')).results
  t.same(
    all.map(({ created_on }) => created_on),
    all.map(({ created_on }) => created_on).toSorted(),
  )
  const found = (await list('q=listed&kind=host')).results
  t.same(new Set(found.map(({ name }) => name)), new Set([0, 1, 2, 3, 4].map((n) => `Listed ${n}`)))
  t.same(found[0]?.parents, [site.id])
  const paged: Resource[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`limit=2${cursor}`)
    paged.push(...page.results)
    if (!page.next) break
    cursor = `&cursor=${page.next}`
  }
  t.same(paged, all)
  for (const query of ['limit=2&cursor=forged', 'limit=0', 'kind=room', 'sort=name'])
    t.match(await ask('GET', `resources?${query}`), refused(400, 'InvalidInput'), query)
})

test('the slug of one of 50 simultaneous resources is given once', async (t) => {
  await using pod = await service.secondPod()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      (n % 2 ? pod : service).request('POST', '/api/directory-admin/resources', {
        token: keeper.token,
        body: { kind: 'site', name: 'N', slug: 'wanted' },
      }),
    ),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ body }) => body.name === 'AlreadyExists').length, 49)
  const { results } = (await ask<{ results: Resource[] }>('GET', 'resources?q=wanted')).body
  t.equal(results.length, 1)
})

test('a parent that is deleted while a child is added: one of the two is refused, and no child is left without it', async (t) => {
  await using pod = await service.secondPod()
  for (let round = 0; round < 10; round++) {
    const site = await newResource('site')
    const [removal, creation] = await Promise.all([
      ask('DELETE', `resources/${site.id}`),
      pod.request<{ results: Resource }>('POST', '/api/directory-admin/resources', {
        token: keeper.token,
        body: { kind: 'host', name: 'H', parentId: site.id },
      }),
    ])
    t.equal([removal, creation].filter(({ status }) => status === 200).length, 1, `round ${round}`)
    const left = (await ask<{ results: Resource[] }>('GET', 'resources')).body.results
    const ids = new Set(left.map(({ id }) => id))
    t.ok(left.every(({ parents }) => parents.every((id) => ids.has(id))))
  }
})

test('two edges that would form a loop together, at once on two pods: one is made, one is 409 NestingLoop', async (t) => {
  await using pod = await service.secondPod()
  for (let round = 0; round < 10; round++) {
    const [a, b] = [await newResource('service'), await newResource('service')]
    const answers = await Promise.all([
      ask('POST', 'edges', { parentId: a.id, childId: b.id }),
      pod.request('POST', '/api/directory-admin/edges', {
        token: keeper.token,
        body: { parentId: b.id, childId: a.id },
      }),
    ])
    t.same(answers.map(({ status }) => status).sort(), [200, 409], `round ${round}`)
    t.equal(answers.find(({ status }) => status === 409)?.body.name, 'NestingLoop')
    t.equal((await read(a.id)).parents.length + (await read(b.id)).parents.length, 1)
  }
  const ring = await Promise.all([0, 1, 2].map(() => newResource('service')))
  await newEdge(ring[0]?.id as string, ring[1]?.id as string)
  await newEdge(ring[1]?.id as string, ring[2]?.id as string)
  const loop = { parentId: ring[2]?.id, childId: ring[0]?.id }
  t.match(await ask('POST', 'edges', loop), refused(409, 'NestingLoop'))
})
