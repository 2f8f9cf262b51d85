/**
 * Jobs on BullMQ: work that outlives the process that was asked for it. A job is done by any pod, tried again with
 * back-off, taken over when its pod dies, and known by its id: while one of that id is there a second is none.
 *
 * Keys lie under `<prefix>:{jobs}:`, in one slot. What is secret in a job is sealed so that it outlives a new signing
 * secret: an invite that waits for its mail server does.
 * The library takes 12 MB, so it is loaded at the first job, by whichever pod gets it; the bus tells the others.
 */
import type { JobsOptions, Queue, Worker } from 'bullmq'
import type { Config } from '#src/settings.ts'
import type { Bus } from './bus.ts'
import type { Connection, Log } from './connection.ts'
import { refuse, within } from './connection.ts'
import type { Keys } from './keys.ts'
import type { SealedValue } from './reseal.ts'
import { sealedValues } from './reseal.ts'
import { seal, unseal } from './seal.ts'
import type { Work } from './worker.ts'
import { report, startWorker } from './worker.ts'

export type { JobAttempt, Work } from './worker.ts'

export type NewJob = {
  /** Idempotency: the same id again adds nothing while Redis remembers it. */
  id: string
  kind: string
  data: unknown
  /** The data holds what nobody may read in Redis. */
  secret?: boolean
  /** Goes behind whatever somebody waits for. */
  unwaited?: boolean
  /** One of many: goes behind those as well. */
  bulk?: boolean
  /** Where other than what holds for messages to people. */
  attempts?: number
  backoff?: number
}
export type JobLimits = { attempts: number; backoff: number; concurrency: number }
export type JobState = 'waiting' | 'active' | 'delayed' | 'failed'
export type Jobs = ReturnType<typeof openJobs>

const closeMilliseconds = 25_000
const keep: JobsOptions = {
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: { age: 7 * 86_400, count: 1000 },
  stackTraceLimit: 0,
}

type Queued = { name: string; keys: Keys; bus: Bus; limits: JobLimits; log: Log }

export function openJobs(
  { another, client }: Connection,
  { name, keys, bus, limits, log }: Queued,
  settings: Config['redis'],
) {
  const channel = `jobs-${name}`
  const prefix = keys.durable('jobs')
  const secret = keys.sealing('jobs')
  let queue: Promise<Queue> | undefined
  let work: Work | undefined
  let worker: Promise<Worker> | undefined

  const known = () => client.exists(`${prefix}:${name}:meta`)

  async function load(): Promise<Queue> {
    await known() // refused at once where Redis does not answer: a new connection would wait for longer
    const { Queue } = await import('bullmq')
    const streams = { events: { maxLen: 100 } }
    const connection = (await another()) as never
    const made = new Queue(name, { connection, prefix, streams, skipVersionCheck: true })
    made.on('error', (err) => report(err, log))
    // A queue whose first look at Redis failed would refuse every job from then on: the next one loads it anew.
    await made.waitUntilReady().catch((error) => {
      made.close().catch(() => {})
      throw error
    })
    beginAnyhow()
    await bus.publish(channel, 'begun')
    return made
  }

  function opened(): Promise<Queue> {
    queue ??= load().catch((error) => {
      queue = undefined
      throw error
    })
    return queue
  }

  /** Begins to work, where this pod does and there is or was a job at all. */
  async function begin(): Promise<void> {
    if (!work || worker) return
    worker = startWorker(settings, { name, prefix, limits, log, dataOf }, work)
    await opened()
  }
  const beginAnyhow = () => void begin().catch((err) => log.error({ err }, 'the work on jobs has not begun'))
  /** Looks for itself: the message of the first job may have come while nobody listened. */
  function beginIfKnown(): void {
    if (work && !worker) known().then((any) => any && beginAnyhow(), beginAnyhow)
  }

  function sealedData({ id, data, secret: hidden }: NewJob): object {
    const text = JSON.stringify(data)
    return hidden ? { sealed: seal(text, secret, `${name} ${id}`) } : { data }
  }
  function dataOf(id: string, { data, sealed }: { data?: unknown; sealed?: string }): unknown {
    return sealed === undefined ? data : JSON.parse(unseal(sealed, secret, `${name} ${id}`))
  }

  /** Of the jobs there are, done ones too while they are kept. */
  async function* sealed(): AsyncGenerator<SealedValue> {
    if (!(await client.exists(`${prefix}:${name}:meta`))) return
    const all = await opened()
    for (const state of ['wait', 'prioritized', 'active', 'delayed', 'failed', 'completed'] as const)
      for (let start = 0; ; start += 1000) {
        const jobs = await all.getJobs([state], start, start + 999)
        for (const job of jobs)
          if (job?.data.sealed !== undefined) {
            const replace = (next: string) => job.updateData({ ...job.data, sealed: next })
            yield { name: `${name} ${job.id}`, sealed: job.data.sealed as string, replace }
          }
        if (jobs.length < 1000) break
      }
  }

  bus.subscribe(channel, beginAnyhow)
  bus.onGap(beginIfKnown)

  return {
    sealed: sealedValues(keys, { what: `jobs of ${name}`, purpose: 'jobs' }, sealed),

    /** Answers when Redis has them all. */
    async add(...jobs: NewJob[]): Promise<void> {
      const { attempts, backoff: delay } = limits
      const entries = jobs.map((job) => ({
        name: job.kind,
        data: sealedData(job),
        opts: {
          ...keep,
          attempts: job.attempts ?? attempts,
          backoff: { type: 'exponential', delay: job.backoff ?? delay, jitter: 0.2 },
          jobId: job.id,
          ...(job.bulk ? { priority: 2 } : job.unwaited ? { priority: 1 } : {}),
        },
      }))
      const put = async () => within(settings.timeout, (await opened()).addBulk(entries))
      // Loading the library holds the event loop up, so that answers may seem late: the ids make a second try safe.
      const loaded = queue !== undefined
      await put().catch((error) => (loaded ? refuse(error) : put().catch(refuse)))
    },

    /** Makes a job by cron (UTC), one at each time over all pods, until `unschedule`; instead of the schedule before. */
    async schedule(id: string, { cron, kind, data }: { cron: string; kind: string; data: unknown }) {
      const template = { name: kind, data: { data }, opts: { ...keep, attempts: 1 } }
      const set = (await opened()).upsertJobScheduler(id, { pattern: cron, tz: 'UTC' }, template)
      await within(settings.timeout, set).catch(refuse)
    },
    async unschedule(id: string): Promise<void> {
      if (!queue && !(await client.exists(`${prefix}:${name}:meta`))) return
      await within(settings.timeout, (await opened()).removeJobScheduler(id)).catch(refuse)
    },

    /** Works on jobs until disposed, which waits for those under way. */
    work(how: Work): AsyncDisposable {
      work = how
      beginIfKnown()
      return {
        async [Symbol.asyncDispose]() {
          work = undefined
          const working = await worker?.catch(() => undefined)
          worker = undefined
          const closed = working?.close() ?? Promise.resolve()
          await within(closeMilliseconds, closed).catch(() => working?.disconnect())
        },
      }
    },

    /** How many there are. Of those that are done nothing is kept for long. */
    async counts(): Promise<Record<JobState, number>> {
      if (!queue) return { waiting: 0, active: 0, delayed: 0, failed: 0 }
      const states = ['wait', 'prioritized', 'active', 'delayed', 'failed'] as const
      const of = await within(settings.timeout, (await queue).getJobCounts(...states)).catch(refuse)
      const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = of
      return { waiting: wait + prioritized, active, delayed, failed }
    },

    async [Symbol.asyncDispose](): Promise<void> {
      await (await queue?.catch(() => undefined))?.close()
    },
  }
}
