import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '#src/settings.ts'
import { dropBootGarbage } from './boot-garbage.ts'
import { freePort } from './child.ts'
import { passingFile, readJson, takeDataDir, writePrivate } from './data-dir.ts'
import { environmentOf, forShells, managing } from './environment.ts'
import { startMailCatcher } from './mail-catcher.ts'
import { bringPortal } from './portal.ts'
import { keptSecret } from './secrets.ts'
import type { Servers } from './servers.ts'
import { startServers } from './servers.ts'
import { startSmsCatcher } from './sms-catcher.ts'

type Administrator = { uid: string; password: string }

const settingsName = 'quickstart.env'
const say = (line: string) => console.log(line)
const { env } = process
/** Before that a signal ends the process on the spot: there is nothing yet to be drained. */
let booted = false

/** Runs in the foreground and ends the process. */
export async function quickStart(): Promise<void> {
  try {
    const { values } = parseArgs({ options: { demo: { type: 'boolean' }, servers: { type: 'boolean' } } })
    const dataDir = resolve(env.DATA_DIR || '.data')
    await (values.servers ? serversAlone(dataDir) : run(dataDir, values.demo ?? false))
    process.exit(0)
  } catch (error) {
    console.error(env.DEBUG ? error : `\n${(error as Error).message}`)
    process.exit(1)
  }
}

/** Everything from nothing to ready in one process, until a signal; then all of it ends in reverse. */
async function run(dataDir: string, demo: boolean): Promise<void> {
  const stopped = stopSignal()
  await using opened = new AsyncDisposableStack()
  opened.use(await takeDataDir(dataDir))
  const ready = await passingFile(dataDir, 'quickstart.json', opened)
  const settingsFile = await passingFile(dataDir, settingsName, opened)
  const port = await portOf(env.PORT || env.app_listen__port || '3000')

  const [servers, mail, sms, secret, { readConfig }, { startService }] = await Promise.all([
    startServers(dataDir, say).then((servers) => opened.use(servers)),
    startMailCatcher(join(dataDir, 'mail')).then((mail) => opened.use(mail)),
    startSmsCatcher(join(dataDir, 'sms')).then((sms) => opened.use(sms)),
    keptSecret(join(dataDir, 'jwt.secret')),
    import('#src/config.ts'),
    import('#src/main.ts'),
    bringPortal(say),
  ])
  const settings = environmentOf({ servers, secret, port, catchers: { mail, sms }, env })
  const config = readConfig(settings)
  const service = opened.use(await startService(config))
  dropBootGarbage()
  booted = true
  const administrator = await rememberAdministrator(dataDir, service.firstAdmin)
  const url = `http://localhost:${port}`
  await writePrivate(settingsFile, forShells({ ...managing(dataDir), ...settings }))
  await writePrivate(ready, {
    url,
    admin: administrator ?? { uid: config.first_admin.uid, password: '' },
    ldap: connectionOf(config),
    redis: { url: config.redis.url },
    mail: { dir: mail.dir },
    sms: { dir: sms.dir },
    pid: process.pid,
  })
  say(banner(url, dataDir, service.firstAdmin))
  if (demo) {
    const { fillDemo } = await import('./demo.ts')
    void fillDemo(url, administrator, say).catch((error) => say(`\n  ${error.message}`))
  }
  say(`\n${await stopped}: stopping …`)
}

/** slapd and Redis without the service, until a signal: a restore goes into empty servers that nobody uses. */
async function serversAlone(dataDir: string): Promise<void> {
  const stopped = stopSignal()
  await using opened = new AsyncDisposableStack()
  opened.use(await takeDataDir(dataDir))
  const settingsFile = await passingFile(dataDir, settingsName, opened)
  const [servers, secret] = await Promise.all([
    startServers(dataDir, say).then((servers) => opened.use(servers)),
    keptSecret(join(dataDir, 'jwt.secret')),
  ])
  booted = true
  const settings = environmentOf({ servers, secret, port: Number(env.PORT || 3000), env })
  await writePrivate(settingsFile, forShells({ ...managing(dataDir), ...settings }))
  say(serversBanner(servers, settingsFile))
  // Nothing else keeps this process: the servers' handles are let go of.
  const waiting = setInterval(() => {}, 2 ** 30)
  opened.defer(() => clearInterval(waiting))
  say(`\n${await stopped}: stopping …`)
}

function connectionOf({ ldap: { url, base, bindDN, bindPassword } }: Config) {
  return { url: url[0], base, bindDN, bindPassword }
}

/** The generated password of the first administrator goes into quickstart.json at every start. */
async function rememberAdministrator(
  dataDir: string,
  made?: Administrator,
): Promise<Administrator | undefined> {
  const file = join(dataDir, 'administrator.json')
  if (made) await writePrivate(file, made)
  return made ?? readJson(file)
}

/** `wanted` when it is free (0: any free one). Throws an Error with a sentence for the user otherwise. */
async function portOf(wanted: string): Promise<number> {
  const port = Number(wanted)
  if (!/^\d+$/.test(wanted) || port > 65535)
    throw new Error(`PORT=${wanted} is not a port: give a number up to 65535.`)
  if (port === 0) return freePort()
  const probe = createServer()
  await new Promise<void>((done, failed) =>
    probe.once('error', failed).listen(port, env.app_listen__host ?? '127.0.0.1', done),
  ).catch((error) => {
    const reason = { EADDRINUSE: 'is in use', EACCES: 'may not be opened by this user' }[error.code as string]
    throw new Error(
      `Port ${port} ${reason ?? `cannot be opened (${error.message})`}: set another one, for example PORT=3001.`,
    )
  })
  await new Promise((done) => probe.close(done))
  return port
}

/**
 * The first signal to stop; also when the launcher that started us (an older Node) is gone. Ctrl-C may arrive twice,
 * from the terminal and from the launcher, so only one that comes later ends the process on the spot.
 */
function stopSignal(): Promise<string> {
  const { promise, resolve: stop } = Promise.withResolvers<string>()
  let since = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!booted || (since && Date.now() - since > 1_000)) process.exit(130)
      since ||= Date.now()
      stop(signal === 'SIGINT' ? 'Ctrl-C' : signal)
    })
  if (process.connected) process.on('disconnect', () => (booted ? stop('launcher gone') : process.exit(130)))
  return promise
}

function serversBanner({ ldap, redis }: Servers, settingsFile: string): string {
  return `
  OpenLDAP and Redis run without the service:

    OpenLDAP        ${ldap.url}, base ${ldap.base}
    Redis           ${new URL(redis.url).host}
    settings        . ${settingsFile}

  With these settings in a shell, npm run restore, import and doctor work on them.
  Ctrl-C stops both; then npm run quickstart finds what they hold.`
}

function banner(url: string, dataDir: string, made?: Administrator): string {
  const password = made ? `${made.password}   (shown this once)` : 'shown at the first start'
  return `
  Latchkey is ready at  ${url}

    administrator   ${made?.uid ?? env.app_first_admin__uid ?? 'admin'}
    password        ${password}

    mail and SMS    are caught in ${join(dataDir, 'mail')} and ${join(dataDir, 'sms')}
    for scripts     ${join(dataDir, 'quickstart.json')}
    for npm run     . ${join(dataDir, settingsName)}   (the settings of this start)

  Ctrl-C stops everything; the next start finds its data again.`
}
