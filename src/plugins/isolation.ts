import { fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { isRefusal } from '#src/errors.ts'
import type { Answered, Order, Said } from './child.ts'
import type { Calls } from './type.ts'

export type Ended = { error: string | null; log: string }

const mostLog = 16_384
const mostRequests = 1000
const mostCalls = 10_000
// .ts here, .js in the bundle.
const child = join(import.meta.dirname, `child${extname(import.meta.filename)}`)

/**
 * Runs a plugin once in a process of its own, which is killed when its time is over. An endless loop, a crash or a flood
 * of memory ends that process and nothing else. It gets what `served` answers, and nothing that is not in there. Resolves
 * whatever happens: how it ended, and what it said.
 */
export function runApart(order: Order, served: Partial<Calls>, entry = child): Promise<Ended> {
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
  let calls = 0
  let requests = 0
  const timer = setTimeout(() => {
    late = true
    process_.kill('SIGKILL')
  }, order.milliseconds)

  process_.on('message', (said: Said) => {
    if (said.kind === 'log') log = `${log}${hidden(said.line, order)}\n`.slice(0, mostLog)
    else if (said.kind === 'end') ended = said.error && hidden(said.error, order).slice(0, 1000)
    else if (++calls > mostCalls || (said.name === 'request' && ++requests > mostRequests))
      process_.kill('SIGKILL')
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

  async function answer({ number, name, given }: Said & { kind: 'call' }): Promise<Answered> {
    try {
      const call = Object.hasOwn(served, name) && served[name as keyof Calls]
      if (!call) return { number, error: `The type does not declare that it needs ${name}.` }
      return { number, answer: await (call as (...given: unknown[]) => Promise<unknown>)(...given) }
    } catch (error) {
      return { number, error: isRefusal(error) ? error.message : 'The service failed at this.' }
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
