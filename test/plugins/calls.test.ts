import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import type { ResourceRecord } from '#src/directory/schemas.ts'
import { callsFor } from '#src/plugins/calls.ts'
import type { Calls, Needed } from '#src/plugins/type.ts'
import { startPluginTests } from './support.ts'

const folder = await mkdtemp(join(tmpdir(), 'calls-'))
tap.teardown(() => rm(folder, { recursive: true, force: true }))
const { adminToken, check, deps, newUser, request } = await startPluginTests({ app_plugins__folder: folder })
const { id } = await check('caller')
// The first administrator is a directory admin too.

/** What a run of the instance is served when its type declares these needs. */
async function calls(needs?: Needed) {
  const record = await deps.store.plugins.find(id)
  if (!record) throw new Error('no instance')
  const made = callsFor(deps, record, needs)
  return Object.assign(made, { served: made.served as Calls })
}

test('an answer is as large as the type says at most, and 64 KB where it says nothing', async (t) => {
  const large = createServer((_request, response) => response.end('x'.repeat(100_000)))
  await new Promise<void>((resolve) => large.listen(0, '127.0.0.1', resolve))
  t.teardown(() => large.close())
  const url = `http://127.0.0.1:${(large.address() as AddressInfo).port}/`
  await using plain = await calls()
  await t.rejects(plain.served.request(url), { name: 'UpstreamFailure' })
  await using declared = await calls({ answerBytes: 100_000 })
  t.match(await declared.served.request(url), { status: 200, body: /^x{100000}$/ })
})

test('a call takes a list of a hundred at most, and nothing that is no list', async (t) => {
  await using made = await calls({ resources: 'write' })
  const { putResources, removeResources } = made.served
  const refused = { name: 'InvalidInput', message: 'At most 100 at once.' }
  const sources = (length: number) => Array.from({ length }, (_, at) => `source ${at}`)
  t.equal((await removeResources(sources(100))).length, 100)
  for (const given of [sources(101), 'text', null, { length: 1 }]) {
    await t.rejects(removeResources(given as string[]), refused)
    await t.rejects(putResources('below', given as never), refused)
  }
})

test('an instance makes a thousand resources at most', async (t) => {
  const host = { source: 'one too many', kind: 'host', state: 'up' } as const
  await deps.store.resources.change(() => ({
    ops: Array.from({ length: 1000 }, (_, n) => {
      const made = { created_by: `plugin:${id}`, created_on: n, updated_by: 'test', updated_on: n }
      const metadata = { 'discovered.source': `source ${n}`, 'discovered.state': 'up' }
      const record = { id: `found-${n}`, kind: 'host', name: `Found ${n}`, slug: `found-${n}`, owner: null }
      return ['resources', record.id, { ...record, description: '', metadata, ...made } as ResourceRecord]
    }),
    value: undefined,
  }))
  const { body } = await request<{ results: { slug: string } }>('POST', '/api/directory-admin/resources', {
    token: adminToken,
    body: { kind: 'site', name: 'A site' },
  })
  await using made = await calls({ resources: 'write' })
  const { putResources, removeResources } = made.served
  const put = async () => (await putResources(body.results.slug, [host]))[0]
  t.match(await put(), { outcome: 'refused', why: /1000 of this source already/ })
  await removeResources(['source 7'])
  t.match(await put(), { outcome: 'created' })
})

test('what was asked of a resource is cancelled when a plugin removes it', async (t) => {
  const post = async (path: string, body: unknown, token = adminToken) => {
    const {
      body: answer,
      status,
      text,
    } = await request<{ results: { slug: string } }>('POST', path, {
      token,
      body,
    })
    if (status !== 200) throw new Error(text)
    return answer.results
  }
  const { slug: below } = await post('/api/directory-admin/resources', { kind: 'site', name: 'Another' })
  await using made = await calls({ resources: 'write' })
  const host = { source: 'asked for', kind: 'host', state: 'up', metadata: { requestable: true } } as const
  await made.served.removeResources(['source 8'])
  t.match(await made.served.putResources(below, [host]), [{ outcome: 'created' }])
  const record = (await deps.store.resources.current()).withSlug('asked-for')
  await post('/api/group/', { name: 'askers' })
  await post('/api/directory-admin/groups', { resourceId: record?.id, groupCn: 'askers' })
  const { token } = await newUser(adminToken)
  await post('/api/access-requests', { slug: 'asked-for' }, token)
  t.match(await made.served.removeResources(['asked for']), [{ outcome: 'removed' }])
  const { body } = await request<{ results: object[] }>('GET', '/api/access-requests/mine', { token })
  t.match(body.results, [{ slug: 'asked-for', state: 'cancelled' }])
})

test('a run keeps its own file, however few it says are to be kept', async (t) => {
  for (const most of [1, 0, -5, Number.NaN]) {
    await using made = await calls({ file: 'txt' })
    await made.served.appendFile(`most ${most}`)
    const name = await made.served.keepFile(most)
    t.same(await readdir(folder), [name], `most ${most}`)
  }
})
