import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Change } from 'ldapts'
import { Client } from 'ldapts'
import type { Test } from 'tap'
import { openSocket } from '#adapters/ldap/socket.ts'
import type { examine } from '#src/doctor/examine.ts'
import type { Level } from '#src/doctor/findings.ts'

type Report = Awaited<ReturnType<typeof examine>>
type Environment = Record<string, string>

/** `npm run doctor`, as an operator starts it. */
export async function doctor(env: Environment, ...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const started = promisify(execFile)(process.execPath, ['src/doctor/main.ts', ...args], {
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env },
  })
  const { code, stdout, stderr } = await started.then(
    (said) => ({ code: 0, ...said }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  )
  return { code, said: `${stdout}${stderr}` }
}

/** That a check found this, and says why it matters and what mends it. */
export function found(
  t: Test,
  { findings }: Report,
  wanted: [check: RegExp, level: Level, what: RegExp],
): void {
  const [check, level, what] = wanted
  const finding = findings.find((each) => check.test(each.check) && what.test(each.what))
  t.equal(finding?.level, level, `${what} is of level ${level}`)
  if (level !== 'ok') t.match(finding, { why: /\w+/, fix: /\w+/ })
}

/** The settings of a single Redis, where that of the tests is a Cluster too. */
export const single = (url: string) => ({ app_redis__url: url, app_redis__cluster: '' })

export async function testFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-doctor-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export function socketOf(dir: string): string {
  return `ldapi://${encodeURIComponent(join(dir, 'ldap/ldapi'))}`
}

/** Changes slapd's own settings, or another entry, as its owner may over the socket. */
export async function reconfigure(dir: string, dn: string, changes: Change[]): Promise<void> {
  const url = socketOf(dir)
  const timeout = 5_000
  const socket = await openSocket({
    url,
    startTLS: false,
    tls: { rejectUnauthorized: true },
    timeout,
    openTimeout: timeout,
  })
  const client = new Client({ url: 'ldap://localhost', createConnection: (() => socket) as never })
  await client.bind('EXTERNAL')
  await client.modify(dn, changes)
  await client.unbind()
}
