import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import tap, { test } from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import { exists } from '#quickstart/packages.ts'
import { clientOf } from '#test/support/client.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { login, quickStartIn } from '#test/support/quickstart.ts'
import { passphrase } from './support.ts'

await findBinaries(testDataDir)
const folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'))
tap.teardown(() => rm(folder, { recursive: true, force: true }))

test('the backup of a quick start is restored into an empty one, where everybody signs in as before', async (t) => {
  const [from, to] = [await dataDirIn('from'), await dataDirIn('to')]
  const file = join(folder, 'all.age')
  const first = await from.quickStart.started()
  const client = clientOf(first.ready.url)
  const made = await client.newUser((await login(first.ready)).body.token, { uid: 'ada' })
  t.match(await from.run('backup', file), { code: 0, said: /LDAP entries/ })
  first.child.kill('SIGTERM')
  await first.ended()

  const other = await to.quickStart.servers()
  t.match(other.output(), /run without the service/)
  t.notOk(await exists(join(to.dir, 'quickstart.json')), 'no service, so no first administrator')
  t.equal((await stat(join(to.dir, 'quickstart.env'))).mode & 0o777, 0o600)
  t.match(await to.run('restore', file), { code: 1, said: /JWT_SECRET.*\nNothing was written/ })
  other.child.kill('SIGTERM')
  t.equal(await other.ended(), 0)
  t.notOk(await exists(join(to.dir, 'quickstart.env')))

  await copyFile(join(from.dir, 'jwt.secret'), join(to.dir, 'jwt.secret'))
  const empty = await to.quickStart.servers()
  t.match(await to.run('restore', file), { code: 0, said: /are back/ })
  empty.child.kill('SIGINT')
  await empty.ended()

  const second = await to.quickStart.started()
  t.notMatch(second.output(), 'shown this once', 'the administrator is the one there was')
  t.equal((await login({ ...second.ready, admin: first.ready.admin })).status, 200)
  t.match(await clientOf(second.ready.url).login('ada', made.password), /./)
  second.child.kill('SIGTERM')
  await second.ended()
})

async function dataDirIn(name: string) {
  const dir = await mkdtemp(join(folder, `${name}-`))
  await symlink(join(testDataDir, 'servers'), join(dir, 'servers'))
  const quickStart = quickStartIn(dir, await freePort())

  /** A program of `npm run` in a shell that has read the settings of the quick start in this folder. */
  async function run(program: string, ...args: string[]) {
    const command = `. "$0"/quickstart.env && exec npm run -s ${program} -- "$@"`
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, BACKUP_PASSPHRASE: passphrase }
    const { code, stdout, stderr } = await promisify(execFile)('sh', ['-c', command, dir, ...args], {
      env,
    }).then(
      (said) => ({ code: 0, ...said }),
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    )
    return { code, said: `${stdout}${stderr}` }
  }
  return { dir, quickStart, run }
}
