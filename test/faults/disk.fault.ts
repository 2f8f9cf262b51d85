import './own-mounts.ts'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import tap, { test } from 'tap'
import { until } from '#test/support/until.ts'
import { rigFolder, startOneRedis, startOneSlapd, startRig } from './rig.ts'
import { trial } from './trial.ts'

const run = promisify(execFile)
const mounted: string[] = []
const { dir, ...folder } = await rigFolder()

/** A disk of its own for a folder, small enough to be filled. */
async function smallDisk(path: string, megabytes: number) {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path]).catch((error) => {
    throw new Error(
      `COULD NOT RUN: a full disk is tried on a small tmpfs, which this user may not mount, neither here nor in a namespace of his own (unshare --user). Run as root, or allow user namespaces. ${error.stderr}`,
    )
  })
  mounted.push(path)
  const rest = join(path, 'rest')
  return {
    /** Until not a page is left. */
    async fill() {
      for (;;) {
        const full = await appendFile(rest, Buffer.alloc(65_536)).then(
          () => false,
          (error) => error.code === 'ENOSPC',
        )
        if (full) return
      }
    },
    empty: () => rm(rest),
  }
}
const ldapDisk = await smallDisk(join(dir, 'ldap/db'), 24)
const redisDisk = await smallDisk(join(dir, 'redis'), 24)
const ldap = await startOneSlapd(join(dir, 'ldap'))
const redis = await startOneRedis(join(dir, 'redis'))
const rig = await startRig({ redis: redis.settings, ldap: [ldap] })
tap.teardown(async () => {
  for (const each of [rig, ldap, redis]) await each[Symbol.asyncDispose]()
  for (const path of mounted) await run('umount', [path])
  await folder[Symbol.asyncDispose]()
})

for (const [what, disk] of [
  ['slapd', ldapDisk],
  ['Redis’ append-only file', redisDisk],
] as const)
  test(`a full disk under ${what}: errors in our form for what is written, nothing half made or lost, recovery without a restart`, async (t) => {
    const load = await trial(t, rig, { begin: disk.fill, end: disk.empty })
    t.ok(load.failures().length > 0, 'the fault was felt')
  })

test('what was acknowledged around a full disk outlives the servers', async (t) => {
  const load = await trial(t, rig, {
    begin: redisDisk.fill,
    end: async () => {
      await redisDisk.empty()
      // What it had acknowledged when the disk was full is in its memory until then (docs/operations.md).
      await until('Redis has written what was left', async () =>
        String(await redis.send('INFO', 'persistence')).includes('aof_last_write_status:ok'),
      )
      await redis.kill()
      await redis.start()
      await ldap.kill()
      await ldap.start()
    },
  })
  t.ok(load.failures().length > 0)
})
