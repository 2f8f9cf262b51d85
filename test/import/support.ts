import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'ldapts'
import tap from 'tap'
import type { Slapd } from '#quickstart/slapd.ts'
import type { Deps } from '#src/deps.ts'
import { readArguments } from '#src/import/arguments.ts'
import { runImport } from '#src/import/run.ts'

/** What an import printed, and its exit status. */
export type Ran = { code: number; lines: string[]; text: string }

/** A file of this test alone; answers its path. */
export async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-import-'))
  tap.teardown(() => rm(dir, { recursive: true, force: true }))
  const path = join(dir, name)
  await writeFile(path, content)
  return path
}

/** Imports as the command does. */
export async function importWith(deps: Deps, args: string[], password = ''): Promise<Ran> {
  const lines: string[] = []
  const code = await runImport(deps, readArguments(args), password, (line) => lines.push(line))
  return { code, lines, text: lines.join('\n') }
}

/** Everything in the directory as an LDIF of ours, but the number of the newest change. */
export async function dumpOf(ldap: Slapd): Promise<string> {
  const client = new Client({ url: ldap.url })
  await client.bind(ldap.bindDN, ldap.bindPassword)
  const { searchEntries } = await client.search(ldap.base, { attributes: ['*', '+'], paged: true })
  await client.unbind()
  const entries = searchEntries.map(({ contextCSN: _, ...entry }) => JSON.stringify(entry))
  return entries.sort().join('\n')
}

export function ssha(password: string, algorithm = 'sha1', scheme = 'SSHA'): string {
  const salt = randomBytes(8)
  const hash = createHash(algorithm).update(password).update(salt).digest()
  return `{${scheme}}${Buffer.concat([hash, salt]).toString('base64')}`
}

/** An inetOrgPerson in LDIF. */
export function personLdif(uid: string, more: string[] = [], base = 'dc=old,dc=example'): string {
  return [
    `dn: uid=${uid},ou=people,${base}`,
    ...['objectClass: inetOrgPerson', `uid: ${uid}`, `cn: Given ${uid}`, 'givenName: Given', `sn: ${uid}`],
    ...[`mail: ${uid}@example.org`, ...more, '', ''],
  ].join('\n')
}
