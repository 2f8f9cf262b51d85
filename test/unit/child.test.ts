import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { freePort } from '#quickstart/child.ts'

test('who stops a server that does not hear SIGTERM goes on once it is killed, also with nothing else left to do', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-child-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const program = `
    import { existsSync } from 'node:fs'
    import { startChild } from '${new URL('../../quickstart/child.ts', import.meta.url)}'
    const args = ['-c', 'trap "" TERM; touch ready; while :; do sleep 0.1; done']
    const ready = async () => existsSync('ready')
    const child = await startChild({ command: '/bin/sh', args, cwd: '.', env: {}, ready })
    await child.stop()
    console.log('stopped')`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: dir })
  t.equal((await run).stdout, 'stopped\n')
})

test('no port is drawn twice', async (t) => {
  const ports = await Promise.all(Array.from({ length: 500 }, freePort))
  t.equal(new Set(ports).size, 500)
})
