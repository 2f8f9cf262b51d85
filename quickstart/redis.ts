import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import type { Binaries } from './binaries.ts'
import type { Child, ChildOptions } from './child.ts'
import { freePort, startChild } from './child.ts'
import { keptSecret } from './secrets.ts'

export type RedisOptions = {
  /** Everything of this Redis is in here. */
  dir: string
  binaries: Pick<Binaries, 'redis'>
  /** Keeps every write across ends of the process. */
  appendOnly: boolean
  port?: number
  onExit?: ChildOptions['onExit']
}

export type Redis = Child & { url: string }

/** Starts a private Redis on the loopback interface with a password of its own; it never evicts a record. */
export async function startRedis(options: RedisOptions): Promise<Redis> {
  const dir = resolve(options.dir)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const [password, port] = await Promise.all([
    keptSecret(join(dir, 'redis.password')),
    options.port ?? freePort(),
  ])
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(dir)}`,
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
  ]
  // A file of our own eyes only: on the command line every user of the machine could read the password.
  await writeFile(join(dir, 'redis.conf'), `${settings.join('\n')}\n`, { mode: 0o600 })
  const child = await startChild({
    command: options.binaries.redis.path,
    args: [join(dir, 'redis.conf')],
    cwd: dir,
    env: options.binaries.redis.env,
    // The password proves that it is this Redis that has the port.
    ready: () => answers(port, password),
    onExit: options.onExit,
  })
  const url = `redis://:${password}@127.0.0.1:${port}`
  return Object.defineProperties({ url }, Object.getOwnPropertyDescriptors(child)) as Redis
}

/** True when AUTH and PING succeed: it answers LOADING while it reads its append-only file. */
function answers(port: number, password: string): Promise<boolean> {
  return new Promise((done) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nPING\r\n`))
    const end = (answer: boolean) => {
      socket.destroy()
      done(answer)
    }
    socket.setTimeout(1_000, () => end(false))
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
    socket.on('data', (chunk) => {
      heard += chunk
      if (heard.split('\r\n').length > 2) end(heard === '+OK\r\n+PONG\r\n')
    })
  })
}
