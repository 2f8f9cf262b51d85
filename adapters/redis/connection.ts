import type { Redis } from 'ioredis'
import { Cluster } from 'ioredis'
import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'
import { followSentinels } from './failover.ts'
import { alone, neverWhole, redirected } from './redirected.ts'
import { open, openListener, sentinelsOf } from './topology.ts'

/** The commands of a standalone server, a Sentinel primary or a Cluster: they are the same. */
export type Client = Redis
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>
export type Hooks = {
  /**
   * Called once per flush to the network; `commands` went out together in it. `beside`: it leaves in one turn with another,
   * to another node of a Cluster: no wait of its own. An answer that is a function is called when all have theirs.
   */
  onRoundTrip(commands: number, beside: boolean): unknown
}
export type Connection = Awaited<ReturnType<typeof connect>>

/**
 * Opens the connections: standalone, Sentinel or Cluster as configured.
 *
 * Time limits. A command fails with `UpstreamFailure` within `redis.timeout`, whatever Redis does: a flush may wait for
 * the flush before it, so each gets half. A lost connection fails what was under way at once and is never answered by
 * sending it again (a counter would count twice); commands issued while it is being re-made wait for that attempt only.
 * Reconnection goes on for ever, with at most 0.3 seconds between attempts.
 *
 * Round trips. Commands issued in one turn of the event loop leave as one flush (`enableAutoPipelining`), on Cluster one
 * per node, side by side. `hooks.onRoundTrip` counts what a caller waits for: at concurrency 1 those that are not `beside`
 * are the sequential round trips of a request, at higher concurrency requests share flushes and the quotient sinks.
 */
export async function connect(settings: Config['redis'], log: Log, hooks: Hooks) {
  await using opened = new AsyncDisposableStack()
  opened.use(followSentinels(settings, sentinelsOf(settings), log))
  const add = async (client: ReturnType<typeof open>) => {
    opened.defer(() => end(client, settings))
    client.on('error', () => {}) // told by `close` once, and by every refusal's cause
    countFlushes(client, hooks)
    await ready(client, settings)
    return client
  }
  const raw = open(settings, { enableAutoPipelining: true })
  report(raw, log)
  await add(raw)
  // WAIT stops its connection until the replicas have answered, so durable writes get one of their own.
  const writer = settings.replicas > 0 ? await add(open(settings, {})) : undefined
  const client = guarded(raw, settings)
  const closing = opened.move()
  /** A connection beside: ioredis copies each script that a library defines on one into every flush. */
  async function another(): Promise<Client> {
    const client = open(settings, {})
    closing.defer(() => end(client, settings))
    client.on('error', () => {})
    await ready(client, settings)
    return client as Client
  }
  let aside: Promise<Client> | undefined

  return {
    client,
    /** All connections that run commands. */
    runners: [raw, ...(writer ? [writer] : [])] as Client[],
    /** The servers that hold records: one, or the primaries of a Cluster. Their answers fail with ioredis's own errors. */
    servers: (): Client[] => (raw instanceof Cluster ? raw.nodes('master') : [raw]),
    listener: () => openListener(settings),
    another,
    /** The one for what no request waits for: it stays out of their flushes and of their count. Opened at first need. */
    aside(): Promise<Client> {
      aside ??= another().catch((error) => {
        aside = undefined
        throw error
      })
      return aside
    },
    /** Whether a durable write waits for replicas. */
    replicated: writer !== undefined,
    /**
     * Runs one command (or script) that must not be lost: answers after `redis.replicas` replicas have it (`WAIT`). Where
     * fewer have it in time nobody knows whether the write will last, so it is no success: UpstreamFailure.
     */
    async durably(command: string, ...args: (string | number)[]): Promise<unknown> {
      if (!writer) return call(client, command, args)
      const send = () => waitFor(settings, writer, command, args)
      // A slot that moves just now: its new node is asked without waiting.
      const unwaited = async () => ({
        answer: await alone(writer as Cluster, command, ...args),
        replicas: undefined,
      })
      const sent =
        writer instanceof Cluster ? redirected(writer, send(), { again: send, alone: unwaited }) : send()
      const { answer, replicas } = await within(settings.timeout, sent).catch(refuse)
      if (replicas !== undefined && replicas < settings.replicas) {
        log.warn({ replicas }, 'a durable write reached fewer Redis replicas than configured')
        throw new Refusal('UpstreamFailure')
      }
      return answer
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** A command and WAIT in one flush, on one node. */
async function waitFor(
  settings: Config['redis'],
  writer: Redis | Cluster,
  command: string,
  args: (string | number)[],
): Promise<{ answer: unknown; replicas: number | undefined }> {
  const pipeline = writer.pipeline()
  call(pipeline, command, args)
  pipeline.call('WAIT', settings.replicas, Math.ceil(settings.timeout / 4))
  const [written, waited] = (await pipeline.exec()) ?? []
  if (!written || written[0]) throw written?.[0] ?? new Error('no answer')
  return { answer: written[1], replicas: Number(waited?.[1] ?? 0) }
}

/** Turns what Redis or the network says into `UpstreamFailure`; our own mistakes (a wrong script) pass as they are. */
export function refuse(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error)
  const ours =
    error instanceof Error &&
    error.name === 'ReplyError' &&
    !/^(LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|READONLY|NOREPLICAS|OOM|MISCONF|BUSY|NOAUTH|NOPERM|WRONGPASS|MOVED|ASK)\b/.test(
      message,
    )
  if (ours || error instanceof Refusal) throw error
  throw new Refusal('UpstreamFailure', undefined, { cause: error })
}

/** Waits for the first connection; a wrong password ends the wait at once. */
async function ready(client: Redis | Cluster, settings: Config['redis']): Promise<void> {
  if (client.status === 'ready') return
  let last: Error | undefined
  const opened = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    client.on('error', (error: Error & { lastNodeError?: Error }) => {
      last = error.lastNodeError ?? error // a Cluster tells that all of its nodes failed
      if (/^(NOAUTH|WRONGPASS|NOPERM)\b/.test(last.message)) reject(last)
    })
  })
  await within(3 * settings.timeout, opened).catch((error) => {
    client.disconnect()
    throw new Refusal('UpstreamFailure', 'Redis does not answer: check the settings under redis.', {
      cause: last ?? error,
    })
  })
}

async function end(client: Redis | Cluster, settings: Config['redis']): Promise<void> {
  await within<unknown>(settings.timeout, client.quit()).catch(() => {})
  client.disconnect()
}

function report(client: Redis | Cluster, log: Log): void {
  let up = false
  client.on('ready', () => {
    if (!up) log.info('Redis is connected')
    up = true
  })
  client.on('reconnecting', () => {
    if (up) log.warn('the connection to Redis is lost; reconnecting')
    up = false
  })
}

function countFlushes(client: Redis | Cluster, hooks: Hooks): void {
  const make = client.pipeline.bind(client)
  let leaving = false
  const another = () => {
    if (!(client instanceof Cluster) || leaving) return leaving
    leaving = true
    setImmediate(() => {
      leaving = false
    })
    return false
  }
  client.pipeline = (...args: Parameters<typeof make>) => {
    const pipeline = make(...args)
    if (client instanceof Cluster) neverWhole(pipeline)
    const exec = pipeline.exec.bind(pipeline)
    pipeline.exec = (...rest: Parameters<typeof exec>) => {
      const ended = hooks.onRoundTrip(pipeline.length, another())
      const answers = exec(...rest)
      if (typeof ended === 'function')
        answers.then(
          () => ended(),
          () => ended(),
        )
      return answers
    }
    return pipeline
  }
}

/** The same client whose answers fail as refusals. */
function guarded(client: Redis | Cluster, settings: Config['redis']): Client {
  const methods = new Map<string | symbol, { of: unknown; as: unknown }>()
  return new Proxy(client as Redis, {
    get(target, name) {
      const method = Reflect.get(target, name, target)
      if (typeof method !== 'function') return method
      const known = methods.get(name)
      if (known && known.of === method) return known.as
      const as = (...args: unknown[]) => {
        const answer = method.apply(target, [...args])
        if (!(answer instanceof Promise) || typeof args.at(-1) === 'function') return answer
        if (!(client instanceof Cluster)) return answer.catch(refuse)
        const again = redirected(client, answer, {
          again: () => method.apply(target, args),
          alone: () => alone(client, ...(name === 'call' ? args : [name, ...args])),
        })
        return within(settings.timeout, again).catch(refuse)
      }
      methods.set(name, { of: method, as })
      return as
    },
  })
}

/** Rejects when the answer takes longer. */
export async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

function call(target: object, command: string, args: (string | number)[]): unknown {
  return (target as Record<string, (...args: (string | number)[]) => unknown>)[command]?.(...args)
}
