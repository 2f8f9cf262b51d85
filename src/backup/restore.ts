/** npm run restore -- [--check] <file>: puts a backup back where nothing is yet (docs/backup.md). */
import { parseArgs } from 'node:util'
import { readConfig } from '#src/config.ts'
import { fingerprintsOf, openTarget, surveyEntries } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import type { Header } from './contents.ts'
import { entriesIn, readWhole, recordsIn } from './contents.ts'
import { openBackup } from './file.ts'
import { passphraseFrom, secretFrom } from './passphrase.ts'

type Program = { env: NodeJS.ProcessEnv; args: string[]; say: Pick<Console, 'log' | 'error'> }
type File = Awaited<ReturnType<typeof openBackup>>

/** The whole program; answers the status that it ends with. */
export async function restore({ env, args, say }: Program): Promise<number> {
  const progress = { begun: false }
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { check: { type: 'boolean' } },
      allowPositionals: true,
    })
    const [path] = positionals
    if (!path) throw new Error('Name the file: npm run restore -- backup.age')
    const config = readConfig(env)
    await using file = await openBackup(path, await passphraseFrom(env))
    const survey = surveyEntries()
    const { header, counts } = await readWhole(
      file.lines(),
      (line) => 'entry' in line && survey.see(line.entry),
    )
    await refuseOther(header, config)
    say.log(
      `Backup ${header.id} of ${header.made_on} is whole: ${counts.entries} LDAP entries, ${counts.records} lines of Redis records.`,
    )
    if (!values.check) say.log(await putBack(file, header, survey, { env, config, progress }))
    return 0
  } catch (error) {
    say.error((error as Error).message)
    say.error(
      progress.begun
        ? 'The restore is not complete. Mend the cause and run it again with the same file: it goes on.'
        : 'Nothing was written.',
    )
    return 1
  }
}

if (import.meta.main)
  process.exitCode = await restore({ env: process.env, args: process.argv.slice(2), say: console })

/** Answers what is back. `progress.begun` from the first write on. */
async function putBack(
  file: File,
  { id }: Header,
  survey: ReturnType<typeof surveyEntries>,
  { env, config, progress }: { env: Program['env']; config: Config; progress: { begun: boolean } },
): Promise<string> {
  await using target = await openTarget(config, {
    url: env.RESTORE_LDAP_URL ?? (config.ldap.url[0] as string),
    bindDN:
      env.RESTORE_LDAP_BIND_DN ?? (env.RESTORE_LDAP_URL?.startsWith('ldapi:') ? '' : config.ldap.bindDN),
    password: (await secretFrom(env, 'RESTORE_LDAP_PASSWORD')) ?? config.ldap.bindPassword,
  })
  const { entries, records, audit, bus } = target
  const refusePods = async () => {
    const pods = (await bus.listeners()) - 1
    if (pods > 0) throw new Error(`${pods} pods of the service run on this Redis: stop them first.`)
  }
  await refusePods()
  const before = await records.begun()
  if (before === null) {
    if (!(await entries.isEmpty()))
      throw new Error(`There are people or groups below ${config.ldap.base} already.`)
    if (!(await records.isEmpty()))
      throw new Error(`Redis has records under the prefix ${config.redis.prefix} already.`)
  } else if (before !== id) throw new Error(`The restore of another backup was begun here: ${before}.`)
  await entries.rehearse(survey.kinds())
  if (!(await records.begin(id))) throw new Error('Another restore has begun meanwhile.')
  // From now on none starts (src/connect.ts): who began before that is heard.
  await refusePods().catch(async (error) => {
    if (before === null) await records.end()
    throw error
  })
  progress.begun = true
  const places = []
  for await (const entry of entriesIn(file.lines())) if (survey.isPlace(entry)) places.push(entry)
  let put = await entries.put(places.sort(survey.byDepth), true)
  put += await entries.put(others(file, survey), false)
  const kept = await records.put(recordsIn(file.lines()))
  await records.end()
  audit.append({ actor: 'service', action: 'backup.restore', target: id, outcome: 'ok', address: '' })
  return `${put} LDAP entries and ${kept} Redis records are back. Start the service; everybody signs in anew.`
}

async function* others(file: File, survey: ReturnType<typeof surveyEntries>) {
  for await (const entry of entriesIn(file.lines())) if (!survey.isPlace(entry)) yield entry
}

/** What is sealed in the backup can be opened by the environment alone that sealed it, under the names it was sealed by. */
async function refuseOther(header: Header, config: Config): Promise<void> {
  const { base, redis } = { base: config.ldap.base, redis: config.redis }
  if (header.base.toLowerCase() !== base.toLowerCase())
    throw new Error(`The backup is of the directory ${header.base}; app_ldap__base says ${base}.`)
  if (header.prefix !== redis.prefix)
    throw new Error(
      `The backup is of the Redis prefix ${header.prefix}; app_redis__prefix says ${redis.prefix}.`,
    )
  const own = await fingerprintsOf(config)
  if (own.sealing !== header.fingerprints.sealing)
    throw new Error(
      config.seal.key
        ? 'app_seal__key is not the one that the backup was made under: stored secrets and the seals of the audit log could not be read.'
        : 'app_seal__key is not set and JWT_SECRET does not stand in for the key that the backup was made under: stored secrets and the seals of the audit log could not be read.',
    )
  if (!header.stored_secret && own.signing !== header.fingerprints.signing)
    throw new Error(
      'JWT_SECRET is not the one that the backup was made under: its signing keys could not be read.',
    )
}
