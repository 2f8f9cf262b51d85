import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import tap, { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { startPluginTests } from './support.ts'

type Container = {
  Id: string
  Names: string[]
  Image: string
  State: string
  Status: string
  Labels: Record<string, string>
  Ports: { IP?: string; PrivatePort: number; PublicPort?: number; Type: string }[]
}
type Answer = { success: boolean; message: string; log: string }

const service = await startPluginTests({ app_egress__timeout: '1500' })
const { ask, request, adminToken, deps } = service
const { newResource, newLink, newGroup, ask: inDirectory, read } = await directoryTools(service)

/** The part of the Docker Engine API that lists containers, as its reference has it. */
let containers: Container[] = []
let fault: 'none' | 'error' | 'slow' | 'garbage' = 'none'
const engine = createServer((asked, response) => {
  const url = new URL(asked.url ?? '', 'http://engine')
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (url.pathname !== '/v1.43/containers/json') return json(404, { message: 'page not found' })
  if (fault === 'error') return json(500, { message: 'the storage is gone' })
  if (fault === 'garbage') return json(200, { message: 'no list' })
  if (fault === 'slow') return
  const { label = [] } = JSON.parse(url.searchParams.get('filters') ?? '{}') as { label?: string[] }
  const all = url.searchParams.get('all') === 'true'
  return json(
    200,
    containers.filter(
      ({ Labels, State }) =>
        (all || State === 'running') && label.every((name) => Labels[name] !== undefined),
    ),
  )
})
await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
tap.teardown(() => {
  engine.closeAllConnections()
  engine.close()
})

let ids = 0
function container(name: string, labels: Record<string, string>, fields: Partial<Container> = {}): Container {
  const Labels = Object.fromEntries(Object.entries(labels).map(([key, value]) => [`latchkey.${key}`, value]))
  return {
    ...{ Id: String(++ids).padStart(64, 'a'), Names: [`/${name}`], Image: 'nginx:1.27', State: 'running' },
    ...{ Status: 'Up 2 hours', Ports: [], ...fields, Labels: { ...Labels, 'org.example.other': 'x' } },
  }
}
async function instance(name: string, config: object = {}) {
  const host = await newResource('host')
  const { body, text } = await ask('POST', '', {
    ...{ pluginType: 'discovery/docker', name, config: { url, below: host.slug, ...config } },
  })
  const { id } = body.results
  if (!id) throw new Error(text)
  const all = async () =>
    (
      await inDirectory<{ results: Awaited<ReturnType<typeof read>>[] }>('GET', 'resources?limit=200')
    ).body.results.filter(({ created_by }) => created_by === `plugin:${id}`)
  return {
    id,
    host,
    all,
    named: async (source: string) =>
      (await all()).find(({ metadata }) => metadata['discovered.source'] === source),
    look: async () => (await ask<Answer>('POST', `/${id}/test`)).body,
  }
}

test('discovery/docker makes a resource of each labelled container below its parent, and updates it when its labels change', async (t) => {
  const { look, named, all, host, id } = await instance('docker one')
  const labels = {
    ...{ name: 'Wiki', address: 'https://wiki.example', icon: 'book', tagline: 'Written down' },
    ...{ description: 'Of all teams', docs: 'https://docs.example', public: 'true', requestable: 'true' },
  }
  const Ports = [
    { IP: '0.0.0.0', PrivatePort: 443, PublicPort: 8443, Type: 'tcp' },
    { IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { PrivatePort: 53, Type: 'udp' },
  ]
  containers = [container('wiki', labels, { Ports }), container('unlabelled', {})]
  t.match(await look(), { success: true, log: /created wiki/ })
  const wiki = await named('wiki')
  t.match(wiki, {
    ...{ kind: 'service', name: 'Wiki', slug: 'wiki', description: 'Of all teams', parents: [host.id] },
    created_by: `plugin:${id}`,
    metadata: {
      ...{ address: 'https://wiki.example', icon: 'book', tagline: 'Written down', isPublic: true },
      ...{ docs: 'https://docs.example', requestable: true, port: 8080, image: 'nginx:1.27' },
      'discovered.state': 'running',
    },
  })
  t.equal((await all()).length, 1)
  const seen = await request<{ results: { slug: string }[] }>('GET', '/api/discovery/me', {
    token: adminToken,
  })
  t.ok(seen.body.results.some(({ slug }) => slug === 'wiki'))

  t.notMatch((await look()).log, /updated|created/, 'nothing is written where nothing changed')
  containers = [container('wiki', { name: 'Wiki 2', address: 'https://w2.example' }, { State: 'exited' })]
  t.match((await look()).log, /updated wiki/)
  const changed = await named('wiki')
  t.match(changed, { id: wiki?.id, name: 'Wiki 2', slug: 'wiki', description: 'Of all teams' })
  t.match(changed?.metadata, { address: 'https://w2.example', 'discovered.state': 'exited' })
  t.notOk(changed?.metadata.isPublic ?? changed?.metadata.icon, 'a label that is gone holds no more')
})

test('discovery/docker leaves what people wrote on a resource, and what it did not make', async (t) => {
  const { look, named, host } = await instance('docker two')
  const own = await newResource('service', { name: 'mine', parentId: host.id })
  containers = [container('shop', { name: 'Shop' })]
  await look()
  const shop = await named('shop')
  const metadata = { ...shop?.metadata, rack: 'B4' }
  t.equal((await inDirectory('PUT', `resources/${shop?.id}`, { metadata, slug: 'the-shop' })).status, 200)
  const group = await newGroup()
  await newLink(shop?.id ?? '', group)
  containers = [container('shop', { name: 'Shop', tagline: 'Buy' }), container('mine', { name: 'mine' })]
  await look()
  t.match(await named('shop'), { slug: 'the-shop', metadata: { rack: 'B4', tagline: 'Buy' } })
  containers = []
  await look()
  t.match(await read(own.id), { name: 'mine', metadata: {}, updated_on: own.updated_on })
  t.equal((await deps.store.resources.current()).linksOn(shop?.id ?? '').length, 1)
})

test('discovery/docker marks what is gone and takes back what its labels said, or removes it where that is set', async (t) => {
  const marking = await instance('docker marks')
  const labels = { name: 'Chat', public: 'true', address: 'https://chat.example' }
  containers = [container('chat', labels)]
  await marking.look()
  const { id } = (await marking.named('chat')) ?? {}
  containers = []
  await marking.look()
  const gone = await marking.named('chat')
  t.match(gone, { id, name: 'Chat', metadata: { 'discovered.state': 'gone' } })
  t.same([gone?.metadata.isPublic, gone?.metadata.address], [undefined, undefined])
  t.notMatch((await marking.look()).log, /updated/)
  containers = [container('chat', labels)]
  await marking.look()
  t.match(await marking.named('chat'), { id, metadata: { isPublic: true, 'discovered.state': 'running' } })

  const removing = await instance('docker removes', { gone: 'remove' })
  containers = [container('leaf', { name: 'Leaf' }), container('branch', { name: 'Branch' })]
  await removing.look()
  const branch = await removing.named('branch')
  await newResource('service', { parentId: branch?.id })
  containers = []
  t.match(await removing.look(), { success: false, log: /removed leaf/ })
  t.match(
    (await removing.all()).map(({ name }) => name),
    ['Branch'],
    'what holds something stays',
  )
  t.match(await marking.named('chat'), { id }, 'it is another instance’s')
})

test('discovery/docker changes nothing when Docker fails, is slow or answers nonsense', async (t) => {
  const { look, named } = await instance('docker fails')
  containers = [container('steady', { name: 'Steady' })]
  await look()
  containers = []
  for (const [kind, message] of [
    ['error', /Docker answered 500: the storage is gone/],
    ['slow', /does not answer/],
    ['garbage', /no list of containers/],
  ] as const) {
    fault = kind
    t.match(await look(), { success: false, message }, kind)
  }
  fault = 'none'
  t.match(await named('steady'), { metadata: { 'discovered.state': 'running' } })
  const { look: lost } = await instance('docker lost', { below: 'no-such-resource' })
  containers = [container('lost', { name: 'Lost' })]
  t.match(await lost(), { success: false, message: /no resource no-such-resource/ })
  const site = await newResource('site')
  const { look: wrong } = await instance('docker wrong', { below: site.slug })
  t.match(await wrong(), { success: false, log: /refused lost: .*lies below host or service, not site/ })
})

test('discovery/docker refuses hostile labels by themselves and keeps the others in step', async (t) => {
  const { look, named, all } = await instance('docker hostile')
  containers = [
    container('script', { name: 'A', address: 'javascript:alert(1)' }),
    container('icon', { name: 'B', icon: 'data:text/html,x' }),
    container('long', { name: 'C'.repeat(5000) }),
    container('lines', { name: 'D\r\nSet-Cookie: x' }),
    container('docs', { name: 'E', docs: 'file:///etc/passwd' }),
    container('proto', {
      name: 'F',
      ['__proto__']: 'x',
      'constructor.prototype.isPublic': 'true',
      owner: 'admin',
    }),
    container('good', { name: 'Good <b>&amp;', public: 'TRUE; DROP' }),
    container('nameless', { name: 'G' }, { Names: ['/other/alias'] }),
  ]
  const said = await look()
  t.match(said, { success: false, message: /5 could not be kept in step/ })
  for (const source of ['script', 'icon', 'long', 'lines', 'docs'])
    t.match(said.log, new RegExp(`refused ${source}: `))
  t.same((await all()).map(({ name }) => name).sort(), ['F', 'Good <b>&amp;'])
  t.match(await named('proto'), { owner: null })
  t.notOk((await named('proto'))?.metadata.isPublic ?? (await named('good'))?.metadata.isPublic)
})

test('what a plugin does to resources is audited in its name, and two runs at once make each only once', async (t) => {
  const { id, look, all } = await instance('docker twice')
  containers = Array.from({ length: 130 }, (_, n) => container(`many-${n}`, { name: `Many ${n}` }))
  const both = await Promise.all([look(), look()])
  t.ok(both.every(({ success }) => success))
  t.equal((await all()).length, 130)
  await deps.audit.settled()
  const events = (await deps.audit.read({ limit: 10_000 })).filter(({ actor }) => actor === `plugin:${id}`)
  t.equal(events.filter(({ action }) => action === 'resource.create').length, 130)
  t.match(events[0], { outcome: 'ok', detail: { source: /^many-/ } })
})
