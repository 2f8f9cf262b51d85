import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { test } from 'tap'
import { openEgress } from '#adapters/egress.ts'
import { runApart } from '#src/plugins/isolation.ts'
import { until } from '#test/support/until.ts'

const child = fileURLToPath(new URL('evil-child.ts', import.meta.url))
const egress = openEgress({ egress: { allow: [], timeout: 500 } }, pino({ level: 'silent' }))
const order = { config: {}, secrets: {}, milliseconds: 20_000, megabytes: 48 }
const run = (type: string, fields: object = {}) =>
  runApart({ ...order, type, ...fields }, { request: egress.send }, child)

test('an endless loop, a crash, an early exit and a flood of memory end their own process and nothing else', async (t) => {
  let turns = 0
  const ticking = setInterval(() => turns++, 20)
  t.match(await run('loop', { milliseconds: 1500 }), { error: /took longer than 1500 ms/ })
  for (const deed of ['crash', 'exit', 'heap', 'buffers'])
    t.match(await run(deed), { error: /process ended with/ }, deed)
  clearInterval(ticking)
  t.ok(turns > 10, 'the service goes on meanwhile')
  t.same(await run('nothing'), { error: null, log: '' })
})

test('a run that waits too long is ended, and an unknown type is an error', async (t) => {
  t.match(await run('sleep', { milliseconds: 1500 }), { error: /took longer/ })
  t.match(await run('no such type'), { error: /no such type/ })
})

test('the log is bounded, and neither it nor the error gives a secret away', async (t) => {
  t.equal((await run('flood')).log.length, 16_384)
  const told = await run('tell', { secrets: { key: 'a secret of the plugin' } })
  t.same(told, { error: 'refused with ********', log: 'it is ********\n' })
})

test('its process has nothing of the service’s environment', async (t) => {
  process.env.app_oauth__jwtSecret = 'not for plugins'
  t.teardown(() => delete process.env.app_oauth__jwtSecret)
  const { log } = await run('spy')
  t.notMatch(log, /not for plugins/)
  t.match(
    Object.keys(JSON.parse(log).env).filter((name) => /^app_|secret/i.test(name)),
    [],
  )
})

test('attack 35: what a plugin asks passes the egress guard, and a storm of requests ends it', async (t) => {
  t.match(await run('knock'), { error: /no public address/ })
  t.match(await run('storm'), { error: /process ended with SIGKILL/ })
})

test('a run that calls for ever is ended, whatever it calls', async (t) => {
  t.match(await run('pester'), { error: /process ended with SIGKILL/ })
})

test('a run is served nothing that its type does not declare', async (t) => {
  const { log, error } = await run('overreach')
  t.equal(error, null)
  t.match(log, /does not declare that it needs putResources/)
  t.match(log, /does not declare that it needs constructor/)
})

test('a run ends with the pod that began it, even in an endless loop', async (t) => {
  const parent = spawn(process.execPath, [fileURLToPath(new URL('orphan-parent.ts', import.meta.url))])
  await once(parent.stdout, 'data')
  const orphan = await until('its child', async () => (await childrenOf(parent.pid as number))[0])
  // The child loops once it has its order; it is killed a moment after it stands there.
  await until('the loop', async () => (await processorTime(orphan)) > 50)
  parent.kill('SIGKILL')
  t.ok(await until('its end', async () => (await stateOf(orphan)) === 'gone', 20))
})

async function stat(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
async function stateOf(pid: number): Promise<string> {
  const [state] = await stat(pid)
  return state === '' || state === 'Z' ? 'gone' : 'alive'
}
async function processorTime(pid: number): Promise<number> {
  return Number((await stat(pid))[11] ?? 0)
}
async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Boolean)
  const found = await Promise.all(pids.map(async (each) => ({ each, parent: Number((await stat(each))[1]) })))
  return found.filter(({ parent }) => parent === pid).map(({ each }) => each)
}
