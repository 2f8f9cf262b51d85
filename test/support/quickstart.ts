import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import t from 'tap'
import { until } from './until.ts'

const project = join(import.meta.dirname, '../..')

/** What quickstart.json holds. */
export type Ready = {
  url: string
  admin: { uid: string; password: string }
  ldap: { url: string; base: string; bindDN: string; bindPassword: string }
  redis: { url: string }
  mail: { dir: string }
  sms: { dir: string }
  pid: number
}

/** The quick start as a child process on these data; ended when the test is, or when `atEnd` calls what it is given. */
export function quickStartIn(
  dataDir: string,
  port: number,
  atEnd: (end: () => void) => void = (end) => t.teardown(end),
) {
  function launch(settings: Record<string, string> = {}, options: string[] = []) {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: String(port),
      ...settings,
    }
    const child: ChildProcess = spawn(process.execPath, ['quickstart.mjs', ...options], {
      ...{ cwd: project, env },
      // Through the channel it notices when this process is killed.
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    })
    atEnd(() => void child.kill('SIGKILL'))
    let output = ''
    const exit = once(child, 'close')
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
    return { child, output: () => output, ended: async () => (await exit)[0] as number | null }
  }

  async function begun(settings: Record<string, string> = {}, options: string[] = []) {
    const running = launch(settings, options)
    await until('the quick start is up', async () => {
      if (running.child.exitCode !== null) throw new Error(`the quick start ended:\n${running.output()}`)
      return running.output().includes('Ctrl-C stops')
    })
    return running
  }

  async function started(settings: Record<string, string> = {}, options: string[] = []) {
    const running = await begun(settings, options)
    const file = join(dataDir, 'quickstart.json')
    return { ...running, ready: JSON.parse(await readFile(file, 'utf8')) as Ready }
  }

  /** slapd and Redis without the service. */
  const servers = () => begun({}, ['--servers'])

  return { launch, started, servers }
}

export async function login({ url, admin }: Ready): Promise<{ status: number; body: { token: string } }> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  return { status: response.status, body: (await response.json()) as { token: string } }
}

export async function serverPids(
  dataDir: string,
  { redis: { url } }: Ready,
): Promise<{ slapd: number; redis: number }> {
  const redis = new Redis(url)
  const id = /process_id:(\d+)/.exec(await redis.info('server'))?.[1]
  redis.disconnect()
  return { slapd: Number(await readFile(join(dataDir, 'ldap/slapd.pid'), 'utf8')), redis: Number(id) }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const end = (answer: boolean) => {
      socket.destroy()
      done(answer)
    }
    socket
      .on('connect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false))
  })
}
