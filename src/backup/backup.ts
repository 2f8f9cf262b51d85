/** npm run backup -- <file>: LDAP, Redis records and keys into one encrypted file (docs/backup.md). */
import { randomUUID } from 'node:crypto'
import { readConfig } from '#src/config.ts'
import { connect } from '#src/connect.ts'
import type { Deps } from '#src/deps.ts'
import type { Closing, Header, Line } from './contents.ts'
import { writeBackup } from './file.ts'
import { passphraseFrom } from './passphrase.ts'

const path = process.argv[2] ?? `latchkey-${new Date().toISOString().replace(/[:.]/g, '-')}.age`
const seen = { entries: 0, passwords: 0, records: 0 }

try {
  const passphrase = await passphraseFrom(process.env)
  await using deps = await connect(readConfig(process.env))
  const { keys } = deps.store
  const header: Header = {
    latchkey_backup: 1,
    id: randomUUID(),
    made_on: new Date().toISOString(),
    base: deps.config.ldap.base,
    prefix: keys.prefix,
    fingerprints: keys.fingerprints,
    stored_secret: deps.standing.sourceOf(['oauth', 'jwtSecret']) === 'stored',
  }
  const bytes = await writeBackup(path, passphrase, linesOf(deps, header))
  deps.audit.append({
    ...{ actor: 'service', action: 'backup.create', target: header.id, outcome: 'ok', address: '' },
    detail: { entries: seen.entries },
  })
  console.log(
    `${path}: ${seen.entries} LDAP entries (${seen.passwords} with a password) and the records of Redis, ${bytes} bytes.`,
  )
  if (seen.passwords === 0)
    console.log(`${deps.config.ldap.bindDN} may read no password: after a restore nobody could sign in.`)
  console.log(
    `It is opened by its passphrase and needs this environment's ${deps.config.seal.key ? 'app_seal__key and ' : ''}JWT_SECRET: keep them too, elsewhere.`,
  )
} catch (error) {
  console.error(`No backup was made: ${(error as Error).message}`)
  process.exitCode = 1
}

async function* linesOf(
  { directory, store }: Pick<Deps, 'directory' | 'store'>,
  header: Header,
): AsyncGenerator<Header | Line | Closing> {
  yield header
  for await (const entry of directory.entries()) {
    seen.entries++
    if (Object.keys(entry.attributes).some((name) => name.toLowerCase() === 'userpassword')) seen.passwords++
    yield { entry }
  }
  for await (const record of store.copy.lines()) {
    seen.records++
    yield { record }
  }
  yield { end: { entries: seen.entries, records: seen.records } }
}
