import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Egress } from '#adapters/egress.ts'
import { isRefusal } from '#src/errors.ts'
import type { Answered, Order, Said } from './child.ts'

export type Ended = { error: string | null; log: string }

const mostLog = 16_384
const mostRequests = 1000
const child = fileURLToPath(new URL('child.ts', import.meta.url))

/**
 * Runs a plugin once in a process of its own, which is killed when its time is over. An endless loop, a crash or a flood
 * of memory ends that process and nothing else. Resolves whatever happens: how it ended, and what it said.
 */
export function runApart(order: Order, egress: Egress, entry = child): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const process_ = fork(entry, [], {
    execArgv: [`--max-old-space-size=${order.megabytes}`, '--no-warnings'],
    // Nothing of the service's environment, which holds its secrets.
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'json',
  })
  let log = ''
  let ended: string | null | undefined
  let late = false
  let requests = 0
  const timer = setTimeout(() => {
    late = true
    process_.kill('SIGKILL')
  }, order.milliseconds)

  process_.on('message', (said: Said) => {
    if (said.kind === 'log') log = `${log}${hidden(said.line, order)}\n`.slice(0, mostLog)
    else if (said.kind === 'end') ended = said.error && hidden(said.error, order).slice(0, 1000)
    else if (++requests > mostRequests) process_.kill('SIGKILL')
    else void answer(said).then((answered) => process_.connected && process_.send(answered, () => {}))
  })
  process_.on('error', () => {})
  process_.on('close', (code, signal) => {
    clearTimeout(timer)
    if (ended === undefined) ended = reason(code, signal)
    resolve({ error: ended, log })
  })
  process_.send(order, () => {})
  return promise

  async function answer({ number, address, sending }: Said & { kind: 'request' }): Promise<Answered> {
    try {
      return { number, answer: await egress.send(address, sending) }
    } catch (error) {
      return { number, error: isRefusal(error) ? error.message : 'The address is not valid.' }
    }
  }
  function reason(code: number | null, signal: string | null): string {
    if (late) return `It took longer than ${order.milliseconds} ms and was ended.`
    return `Its process ended with ${signal ?? code}: it crashed or took too much memory.`
  }
}

/** What a plugin says must not give its secrets away. */
function hidden(text: string, { secrets }: Order): string {
  const values = Object.values(secrets).filter((value) => value.length > 3)
  return values.reduce((shown, value) => shown.replaceAll(value, '********'), text)
}
