import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Decrypter, Encrypter } from 'age-encryption'
import { Client } from 'ldapts'
import { freePort } from '#quickstart/child.ts'
import { openedBy } from '#src/backup/recipient.ts'
import { restore } from '#src/backup/restore.ts'
import { bareEnvironment } from '#test/support/bare.ts'
import { keysIn } from '#test/support/redis.ts'
import type { TestServers } from '#test/support/servers.ts'
import { startTestServers } from '#test/support/servers.ts'

export const passphrase = 'five words that nobody knows'
export type Environment = Record<string, string>

const programs = {
  backup: 'src/backup/backup.ts',
  restore: 'src/backup/restore.ts',
  verify: 'src/audit/verify.ts',
  reseal: 'src/conf/reseal.ts',
}

/** A program of `npm run`, as an operator starts it. */
export async function run(program: keyof typeof programs, env: Environment, ...args: string[]) {
  const file = programs[program]
  const started = promisify(execFile)(process.execPath, [file, ...args], {
    env: { ...bareEnvironment, BACKUP_PASSPHRASE: passphrase, ...env },
  })
  const { code, stdout, stderr } = await started.then(
    (said) => ({ code: 0, ...said }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  )
  return { code, said: `${stdout}${stderr}` }
}

/** `npm run restore` as a call, without a second for a process. */
export async function restored(env: Environment, ...args: string[]) {
  let said = ''
  const hear = (line: string) => {
    said += `${line}\n`
  }
  const code = await restore({
    env: { BACKUP_PASSPHRASE: passphrase, ...env },
    args,
    say: { log: hear, error: hear },
  })
  return { code, said }
}

/** The same backup as another program that knows age would write it, under a passphrase stretched in no time. */
export async function lightened(from: string, to: string): Promise<void> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(openedBy(passphrase))
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(4)
  await writeFile(to, await encrypter.encrypt(await decrypter.decrypt(await readFile(from))))
}

/** The same environment, with other servers behind it; its owner manages the directory over the socket. */
async function movedTo({ ldap, redis, dir }: TestServers, env: Environment): Promise<Environment> {
  return {
    ...env,
    app_listen__port: String(await freePort()),
    app_ldap__url: ldap.url,
    app_ldap__bindPassword: ldap.bindPassword,
    ...redis.settings,
    RESTORE_LDAP_URL: socketOf(dir),
  }
}

function socketOf(dir: string): string {
  return `ldapi://${encodeURIComponent(join(dir, 'ldap/ldapi'))}`
}

/** What the service itself takes: no names of these programs. */
export function ofService(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('app_')))
}

/** Servers that hold nobody and nothing, for what the environment is of. */
export async function empty(env: Environment): Promise<TestServers & { env: Environment }> {
  const servers = await startTestServers()
  return Object.assign(servers, { env: await movedTo(servers, env) })
}

/** Whether that is so still. */
export async function isUntouched({ ldap, redis }: TestServers): Promise<boolean> {
  await using client = await redis.open()
  const records = await keysIn(client)
  const directory = new Client({ url: ldap.url })
  await directory.bind(ldap.bindDN, ldap.bindPassword)
  const { searchEntries } = await directory.search(`ou=people,${ldap.base}`, { scope: 'children' })
  await directory.unbind()
  return records.length === 0 && searchEntries.length === 0
}
