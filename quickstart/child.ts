import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type ChildOptions = {
  command: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** Answers true once the process with this id serves; asked every few milliseconds. */
  ready(pid: number): Promise<boolean>
  /** Called when the process ends although nobody stopped it here; `start` starts it again. */
  onExit?: ((reason: string, start: () => Promise<void>) => void) | undefined
}

/** A server process that can be ended and started again, with its settings and its port as they were. */
export type Child = {
  readonly pid: number
  /** Starts it after stop() or kill(). */
  start(): Promise<void>
  /** SIGTERM, and SIGKILL when that is not heard within 5 seconds. */
  stop(): Promise<void>
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>
  restart(): Promise<void>
  /** SIGSTOP, say: it is there and answers nobody until SIGCONT. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  [Symbol.asyncDispose](): Promise<void>
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(existsSync)

/** Starts a server and waits until it is ready. It dies with this process, however that ends. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const exited = (reason: string) => options.onExit?.(reason, start)
  let child = await launch(options, exited)
  const end = async (signal: NodeJS.Signals) => {
    if (ended(child)) return
    const exit = once(child, 'exit')
    wanted.add(child)
    child.ref() // a process that has nothing left to do but this waits for it too
    child.kill(signal)
    // A stopped (SIGSTOP) process hears no SIGTERM.
    const hard = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await exit
    clearTimeout(hard)
  }
  const start = async () => {
    if (ended(child)) child = await launch(options, exited)
  }
  return {
    get pid() {
      return child.pid as number
    },
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    restart: () => end('SIGTERM').then(start),
    signal: (name) => void child.kill(name),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

/**
 * A port of the loopback interface that nobody listens on, drawn from below those that systems give to outgoing
 * connections (32768 up on Linux): one of them could take it before it is used. No process that draws so gets it as well
 * while this one lives: the UDP port of the same number, which no server here uses, says that it is taken.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_768)
  const mark = createSocket('udp4').unref()
  mark.bind({ port, address: '127.0.0.1', exclusive: true })
  if (!(await happens(mark, 'listening'))) return freePort()
  const server = createServer().listen(port, '127.0.0.1')
  if (!(await happens(server, 'listening'))) {
    mark.close()
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}

function happens(emitter: EventEmitter, event: string): Promise<boolean> {
  return once(emitter, event).then(
    () => true,
    () => false,
  )
}

/** Processes that were told to end here. */
const wanted = new WeakSet<ChildProcess>()

async function launch(options: ChildOptions, exited: (reason: string) => void): Promise<ChildProcess> {
  const { command, args, cwd, env, ready } = options
  // PR_SET_PDEATHSIG: the kernel ends the server when this process is gone, even by SIGKILL. Both servers keep
  // what they acknowledged when killed (MDB by its design, Redis by its append-only file).
  const [file, ...rest] = setpriv ? [setpriv, '--pdeathsig', 'KILL', command, ...args] : [command, ...args]
  const child = spawn(file as string, rest, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches everything of its session: the servers end after the service, not beside it.
    detached: true,
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-2_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  let failure: Error | undefined
  child.on('error', (error) => {
    failure = error
  })
  const deadline = Date.now() + 20_000
  for (;;) {
    if (failure || ended(child))
      throw new Error(`${command} did not start: ${failure?.message ?? output.trim()}`)
    if (await ready(child.pid as number)) break
    if (Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${command} was not ready within 20 seconds: ${output.trim()}`)
    }
    await pause(4)
  }
  const watchdog = setpriv ? undefined : watch(child.pid as number)
  child.on('exit', (code, signal) => {
    watchdog?.kill('SIGKILL')
    if (!wanted.has(child)) exited(`${signal ?? `code ${code}`} ${output.trim()}`.trim())
  })
  for (const handle of [child, child.stdout, child.stderr]) (handle as { unref?(): void } | null)?.unref?.()
  return child
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Where setpriv is missing: a shell that waits for its standard input to close, which it does when we are gone. */
function watch(pid: number): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', `read _; kill -9 ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  ;(shell.stdin as unknown as { unref(): void }).unref()
  return shell
}
