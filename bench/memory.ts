import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#quickstart/child.ts'
import { load } from './load.ts'
import type { Memory } from './process.ts'
import { memoryOf, treeOf } from './process.ts'
import type { Person } from './service.ts'
import { serviceWork } from './service.ts'
import type { World } from './world.ts'
import { root } from './world.ts'

/** Long enough for the start's own garbage to be collected where it will be. */
const settleMilliseconds = 3000

export type ProcessMemory = Record<'service' | 'slapd' | 'redis', Memory>

/** Every process fresh and idle, and after 20 people signed in at the same moment. */
export async function measureMemory(
  world: World,
  persons: Person[],
): Promise<{ idle: ProcessMemory; afterLogins: ProcessMemory }> {
  await Promise.all([world.slapd.restart(), world.redis.restart()])
  const service = await world.startService()
  const now = () => ({
    service: memoryOf(service.pid),
    slapd: memoryOf(world.slapd.pid),
    redis: memoryOf(world.redis.pid),
  })
  await pause(settleMilliseconds)
  const idle = now()
  await load(service.port, serviceWork(persons).login, { concurrency: 20, count: 20 })
  await pause(settleMilliseconds)
  const afterLogins = now()
  await service.stop()
  return { idle, afterLogins }
}

/** As npm sets it for scripts. */
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`

export type QuickstartMemory = { readyAfter: number; processes: ({ command: string } & Memory)[] }

/** The whole quick start, idle, on a directory of its own: every process below the given command. */
export async function measureQuickstart(command: string, ...args: string[]): Promise<QuickstartMemory> {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-bench-quickstart-'))
  // Servers that were unpacked once need not be fetched again.
  await symlink(join(root, '.data/servers'), join(dir, 'servers'))
  const started = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, PATH: path, DATA_DIR: dir, PORT: String(await freePort()) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  try {
    while (!(await ready(dir))) {
      if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')} ended: ${child.exitCode}`)
      await pause(10)
    }
    const readyAfter = performance.now() - started
    await pause(settleMilliseconds)
    const processes = treeOf(child.pid as number).map(({ pid, command: line }) => ({
      command: line,
      ...memoryOf(pid),
    }))
    return { readyAfter, processes }
  } finally {
    process.off('exit', kill)
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(dir, { recursive: true, force: true })
  }
}

/** The quick start writes its facts when all is ready. */
async function ready(dir: string): Promise<boolean> {
  const file = join(dir, 'quickstart.json')
  return access(file)
    .then(() => readFile(file, 'utf8'))
    .then((facts) => Boolean(JSON.parse(facts).url))
    .catch(() => false)
}
