/**
 * The process of one run. It holds nothing of the service: no settings, no connection, no key. What it may do beyond
 * computing it asks its parent for, by messages. It ends with its parent, by its time, or when it takes too much memory,
 * whatever the plugin does: a thread of its own watches, which an endless loop does not stop.
 */
import { Worker } from 'node:worker_threads'
import { pluginType } from './registry.ts'
import type { Calls, PluginType, RunContext } from './type.ts'

export type Order = {
  type: string
  config: RunContext['config']
  secrets: RunContext['secrets']
  milliseconds: number
  megabytes: number
}
export type Said =
  | { kind: 'log'; line: string }
  | { kind: 'call'; number: number; name: string; given: unknown[] }
  | { kind: 'end'; error: string | null }
export type Answered = { number: number; answer?: unknown; error?: string }

const watcher = `
const { workerData: { parent, until, bytes } } = require('node:worker_threads')
setInterval(() => {
  if (process.ppid !== parent || Date.now() > until || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL')
}, 100)`

const waiting = new Map<number, PromiseWithResolvers<unknown>>()
let calls = 0
const say = (said: Said) => new Promise<void>((resolve) => process.send?.(said, () => resolve()))

/** Performs the one order that its parent sends, by the type that `find` answers. */
export function serve(find: (type: string) => PluginType | undefined): void {
  process.once('message', (order: Order) => {
    const workerData = {
      parent: process.ppid,
      until: Date.now() + order.milliseconds,
      bytes: (order.megabytes + 160) * 2 ** 20,
    }
    new Worker(watcher, { eval: true, workerData }).unref()
    process.on('message', hear)
    perform(find(order.type), order).then(
      () => end(null),
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    )
  })
}

async function perform(plugin: PluginType | undefined, { config, secrets }: Order): Promise<void> {
  if (!plugin) throw new Error('There is no such type of plugin.')
  await plugin.run({
    config,
    secrets,
    log: (line) => void say({ kind: 'log', line: String(line) }),
    request: asked('request'),
    resourcesMade: asked('resourcesMade'),
    putResources: asked('putResources'),
    removeResources: asked('removeResources'),
    nextEntries: asked('nextEntries'),
    appendFile: asked('appendFile'),
    keepFile: asked('keepFile'),
    planPeople: asked('planPeople'),
    applyPeople: asked('applyPeople'),
  })
}

/** A function that has the parent do it. */
function asked<N extends keyof Calls>(name: N): Calls[N] {
  return ((...given: unknown[]) => {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(++calls, answer)
    void say({ kind: 'call', number: calls, name, given })
    return answer.promise
  }) as Calls[N]
}

function hear({ number, answer, error }: Answered): void {
  const asked = waiting.get(number)
  waiting.delete(number)
  if (error === undefined) asked?.resolve(answer)
  else asked?.reject(new Error(error))
}

async function end(error: string | null): Promise<void> {
  await say({ kind: 'end', error })
  process.exit()
}

if (import.meta.main) serve(pluginType)
