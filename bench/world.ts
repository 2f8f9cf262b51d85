import type { Serializable } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { buildBundle, imageCommand } from '#deploy/bundle.ts'
import type { Binaries } from '#quickstart/binaries.ts'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import { startRedis } from '#quickstart/redis.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { seedDirectory } from './seed.ts'

export const root = join(import.meta.dirname, '..')

/** A Node program under measurement, in a process of its own. */
export type Server = {
  pid: number
  port: number
  /** Milliseconds from the start of the process to its first answer. */
  readyAfter: number
  stop(): Promise<void>
  /** Sends a question to a pod that answers some, and waits. */
  ask<A>(question: unknown): Promise<A>
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** Fills a stopped slapd in `dir`. */
export type Seed = (where: { dir: string; base: string; slapd: Binaries['slapd'] }) => Promise<unknown>

/**
 * slapd and Redis as the quick start runs them (hash cost, fsync, append-only file), with the people and groups of the
 * bench or of another `seed`, in a folder that goes with the bench. Starts the service and the reference as often as asked.
 */
export async function openWorld(
  say: (line: string) => void,
  { nodeOptions = [], seed = seedDirectory }: { nodeOptions?: string[]; seed?: Seed } = {},
) {
  await using opened = new AsyncDisposableStack()
  const [binaries, dir] = await Promise.all([
    findBinaries(join(root, '.data'), say),
    mkdtemp(join(tmpdir(), 'latchkey-bench-')),
  ])
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const slapd = opened.use(await startSlapd({ dir: join(dir, 'ldap'), binaries }))
  const redis = opened.use(await startRedis({ dir: join(dir, 'redis'), binaries, appendOnly: true }))
  await slapd.stop()
  await seed({ dir: join(dir, 'ldap'), base: slapd.base, slapd: binaries.slapd })
  await slapd.start()

  const [servicePort, referencePort] = await Promise.all([freePort(), freePort()])
  const log = join(dir, 'service.log')
  // The compiled code is kept, as the image and the quick start keep it.
  const compiled = { NODE_COMPILE_CACHE: join(dir, 'compiled') }
  const environment = {
    ...compiled,
    app_listen__port: String(servicePort),
    app_oauth__issuer: `http://127.0.0.1:${servicePort}`,
    app_oauth__jwtSecret: randomBytes(36).toString('base64url'),
    app_ldap__url: slapd.url,
    app_ldap__base: slapd.base,
    app_ldap__bindDN: slapd.bindDN,
    app_ldap__bindPassword: slapd.bindPassword,
    app_redis__url: redis.url,
    app_trust_proxy: '127.0.0.1',
  }
  const startArguments = await productionStart()
  const closing = opened.move()
  return {
    slapd,
    redis,
    /** The service as production starts it, its log in a file. */
    async startService(): Promise<Server> {
      return startNode([...nodeOptions, ...startArguments], environment, servicePort, '/readyz', log)
    },
    /** So many of it behind one issuer, each on a port of its own. */
    async startPods(count: number): Promise<Server[]> {
      const pods: Server[] = []
      for (let pod = 0; pod < count; pod++) {
        const port = await freePort()
        const own = { ...environment, app_listen__port: String(port) }
        pods.push(await startNode([...nodeOptions, ...startArguments], own, port, '/readyz', log))
      }
      return pods
    },
    /** The same with a line to it for what only its own pool can tell (large/pod.ts). */
    async startPod(): Promise<Server> {
      const pod = join(import.meta.dirname, 'large/pod.ts')
      return startNode(
        [...nodeOptions, ...startArguments.slice(0, -1), pod],
        environment,
        servicePort,
        '/readyz',
        log,
      )
    },
    /** `stored`: one that keeps its records in Redis, beside the other. */
    async startReference({ stored = false } = {}): Promise<Server> {
      const port = stored ? await freePort() : referencePort
      const args = ['bench/reference.ts', String(port), slapd.url, slapd.base, ...(stored ? [redis.url] : [])]
      const probe = '/.well-known/openid-configuration'
      return startNode(args, compiled, port, probe, join(dir, 'reference.log'))
    },
    /** Password of the first administrator, as the very first start showed it. */
    async adminPassword(): Promise<string> {
      const shown = /First administrator: \S+, password \(shown once\): (\S+)/.exec(
        await readFile(log, 'utf8'),
      )
      if (!shown?.[1]) throw new Error('The service showed no first administrator')
      return shown[1]
    },
    /** The last lines the service logged, for whoever wonders why it failed. */
    async lastLogged(): Promise<string> {
      return lastLines(log)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** A script of package.json. */
export async function scriptOf(name: string): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return scripts[name]
}

async function productionStart(): Promise<string[]> {
  await buildBundle()
  const [node, ...args] = await imageCommand()
  if (node !== 'node') throw new Error(`the image is expected to start node, found ${node}`)
  return args
}

async function startNode(
  args: string[],
  environment: Record<string, string>,
  port: number,
  probe: string,
  log: string,
): Promise<Server> {
  const output = await open(log, 'a', 0o600)
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', output.fd, output.fd, 'ipc'],
  })
  await output.close()
  const kill = () => child.kill()
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  while (!(await answers(port, probe))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended: ${await lastLines(log)}`)
    if (performance.now() - started > 30_000) {
      await stop()
      throw new Error(`${args.join(' ')} was not ready within 30 seconds`)
    }
    await pause(5)
  }
  const ask = async <A>(question: unknown): Promise<A> => {
    child.send(question as Serializable)
    const [answer] = await once(child, 'message')
    return answer
  }
  return { pid: child.pid as number, port, readyAfter: performance.now() - started, stop, ask }
}

async function lastLines(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n')
  return lines.slice(-10).join('\n')
}

async function answers(port: number, path: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.ok ?? false
}
