import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import type { Slapd } from '#quickstart/slapd.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { builtService } from '#test/support/bundle.ts'
import { clientOf } from '#test/support/client.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import type { Messages } from '#test/support/messages.ts'
import { startMessages } from '#test/support/messages.ts'
import { startNginx } from '#test/support/nginx.ts'
import { startPod } from '#test/support/pod.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'

export type Rig = Awaited<ReturnType<typeof startRig>>
type RigOptions = {
  /** Where Redis is, as settings; by default one server with an append-only file. */
  redis?: Record<string, string>
  /** The directory's servers; by default one. */
  ldap?: Slapd[]
  /** URLs in the place of the servers' own: of a network in between. */
  ldapUrls?: string[]
  /** What catches mail and SMS; one of its own unless given. */
  messages?: Messages
  settings?: Record<string, string>
  /** Of each pod beside those of all; as many pods as there are. */
  pods?: Record<string, string>[]
}

/** Time limits as they are by default, where nobody is to run into one: a busy machine is no fault. */
export const patient = { app_ldap__timeout: '5000', app_redis__timeout: '5000' }

/** A folder of this test alone. */
export async function rigFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-rig-'))
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

/** One Redis as the quick start has it. */
export async function startOneRedis(dir: string, ...settings: string[]) {
  const node = await startNode(dir, 'server', 'appendonly yes', 'maxmemory-policy noeviction', ...settings)
  return Object.assign(node, { settings: { app_redis__url: `redis://127.0.0.1:${node.port}` } })
}

/** One slapd as the quick start has it, with cheap password hashes. */
export async function startOneSlapd(dir: string): Promise<Slapd> {
  const binaries = await findBinaries(testDataDir)
  return startSlapd({ dir, binaries, nosync: true, argon2: { memory: 1024, passes: 1 } })
}

/**
 * The service as an operator runs it: pods, each a process of what the image starts, behind nginx, on servers of this test. Waiting
 * times of the pods are short, so that a test need not wait for long.
 */
export async function startRig({ pods: several = [{}, {}], settings = {}, ...given }: RigOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const { dir } = opened.use(await rigFolder())
  const redis = given.redis ?? opened.use(await startOneRedis(dir)).settings
  const ldap = given.ldap ?? [opened.use(await startOneSlapd(join(dir, 'ldap')))]
  const [directory] = ldap as [Slapd]
  const messages = given.messages ?? opened.use(await startMessages())
  const port = await freePort()
  const common = {
    app_oauth__issuer: `http://127.0.0.1:${port}`,
    app_oauth__jwtSecret: randomBytes(36).toString('base64url'),
    app_ldap__url: (given.ldapUrls ?? ldap.map(({ url }) => url)).join(),
    app_ldap__base: directory.base,
    app_ldap__bindDN: directory.bindDN,
    app_ldap__bindPassword: directory.bindPassword,
    ...{ app_ldap__password__memory: '1024', app_ldap__password__passes: '1' },
    ...{ app_ldap__timeout: '2000', app_redis__timeout: '2000' },
    app_listen__drain: '2',
    app_trust_proxy: '127.0.0.1',
    app_onboarding__needs: '',
    ...messages.settings,
    ...redis,
    ...settings,
  }
  const processes = opened.use(new AsyncDisposableStack())
  const { entry } = opened.use(await builtService())
  const startOne = async (own: Record<string, string>, joins: boolean) => {
    const at = String(await freePort())
    const environment = { ...common, app_listen__port: at, ...own }
    const start = async (joining: boolean) => startPod(environment, processes, { joins: joining, entry })
    let running = await start(joins)
    const url = `http://127.0.0.1:${at}`
    return {
      url,
      password: running.password,
      ...clientOf(url),
      get process() {
        return running.process
      },
      said: () => running.said(),
      /** Again, with the settings and at the port it had. */
      async start() {
        running = await start(true)
      },
    }
  }
  const [first, ...others] = several
  const one = await startOne(first ?? {}, false)
  const pods = [one, ...(await Promise.all(others.map((own) => startOne(own, true))))]
  const nginx = opened.use(
    await startNginx(
      pods.map(({ url }) => url),
      port,
    ),
  )
  const client = clientOf(nginx.url)
  const admin = await client.login('admin', one.password)
  const closing = opened.move()
  return {
    ...client,
    url: nginx.url,
    password: one.password,
    admin,
    pods: pods as [typeof one, typeof one, ...(typeof one)[]],
    messages,
    /** Until each pod says that it is ready. */
    ready: () =>
      until('every pod is ready', async () => {
        const asked = await Promise.all(
          pods.map(({ request }) => request('GET', '/readyz').catch(() => undefined)),
        )
        return asked.every((answer) => answer?.status === 200)
      }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
