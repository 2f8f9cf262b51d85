import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { callsFor } from '#src/plugins/calls.ts'
import type { Calls, Needed } from '#src/plugins/type.ts'
import { startPluginTests } from './support.ts'

const folder = await mkdtemp(join(tmpdir(), 'calls-'))
tap.teardown(() => rm(folder, { recursive: true, force: true }))
const { check, deps } = await startPluginTests({ app_plugins__folder: folder })
const { id } = await check('caller')

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

test('a run keeps its own file, however few it says are to be kept', async (t) => {
  for (const most of [1, 0, -5, Number.NaN]) {
    await using made = await calls({ file: 'txt' })
    await made.served.appendFile(`most ${most}`)
    const name = await made.served.keepFile(most)
    t.same(await readdir(folder), [name], `most ${most}`)
  }
})
