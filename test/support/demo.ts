import { rmSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import { clientOf } from './client.ts'
import { testDataDir } from './data-dir.ts'
import { messagesIn } from './messages.ts'
import { quickStartIn } from './quickstart.ts'
import { until } from './until.ts'

export type Demo = Awaited<ReturnType<typeof sharedDemo>>

let shared: ReturnType<typeof openDemo> | undefined

/**
 * The quick start with `--demo` that the files of this process share, one after another: what a file makes has names that
 * no other gives, and what it changes for everybody it puts back. Ends with the process.
 */
export async function sharedDemo() {
  shared ??= openDemo()
  const { child, [Symbol.asyncDispose]: _, ...demo } = await shared
  for (const handle of [child, child.stdin, child.stdout, child.stderr, child.channel])
    (handle as { unref?(): void } | null | undefined)?.unref?.()
  return demo
}

/**
 * A quick start with `--demo` of its own, with these `app_…` settings, and who administers it signed in. Its people are
 * not asked for anything at their first sign-in unless `app_onboarding__needs` says so.
 */
export async function openDemo(settings: Record<string, string> = {}) {
  await findBinaries(testDataDir)
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-demo-'))
  await symlink(join(testDataDir, 'servers'), join(dataDir, 'servers'))
  const { child, ready, output, ended } = await quickStartIn(dataDir, await freePort(), atExit).started(
    {
      // Two hundred passwords are hashed: cheaply here.
      ...{ app_ldap__password__memory: '1024', app_ldap__password__passes: '1' },
      ...{ app_onboarding__needs: '', app_trust_proxy: '127.0.0.1' },
      ...settings,
    },
    ['--demo'],
  )
  atExit(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  await until(`the demo is filled: ${output()}`, async () => output().includes('Demo: 200'), 240, 25)
  const { url, admin } = ready
  const client = clientOf(url)
  const token = await client.login(admin.uid, admin.password)
  return {
    ...{ url, admin, token, child },
    ...client,
    /** What the API answers the administrator, or who has this token; throws where that is no success. */
    async call<T = unknown>(method: string, path: string, body?: unknown, as = token): Promise<T> {
      const asked = { token: as, ...(body === undefined ? {} : { body }) }
      const answer = await client.request<T>(method, path, asked)
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
      return answer.body
    },
    messages: messagesIn({ mail: ready.mail.dir, sms: ready.sms.dir }),
    /** Somebody in all the groups that administer, for a file that changes the administrator themselves. */
    async newAdmin(fields: Record<string, string> = {}) {
      const person = await client.newUser(token, fields)
      for (const group of ['admin', 'oauth_admin', 'invite', 'directory_admin'])
        await client.request('PUT', `/api/group/app_sso_${group}/${person.uid}`, { token })
      return person
    },
    /** A client of its Redis, for what no API does: time that passes, a log that somebody changed. */
    openRedis() {
      const redis = new Redis(ready.redis.url)
      return Object.assign(redis, { [Symbol.dispose]: () => redis.disconnect() })
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function atExit(end: () => void) {
  process.once('exit', end)
}
