import type { Job, Worker } from 'bullmq'
import type { Config } from '#src/settings.ts'
import type { Log } from './connection.ts'
import { openPatient } from './topology.ts'

export type JobAttempt = { id: string; kind: string; data: unknown }
export type Work = {
  perform(job: JobAttempt): Promise<void>
  /** True when trying again is no use. */
  isFinal(error: unknown): boolean
  /** After an attempt that is not the last. */
  failed(job: JobAttempt): void
  /** After the last attempt. */
  gaveUp(job: JobAttempt): Promise<void>
}
type Queued = {
  name: string
  prefix: string
  limits: { concurrency: number }
  log: Log
  dataOf(id: string, stored: object): unknown
}

/** A pod that says nothing for this long is dead, and others take its jobs. */
const lockMilliseconds = 15_000

/** What the network does the connection of the store tells, once. */
export function report(err: Error, log: Log): void {
  if (!('syscall' in err)) log.warn({ err }, 'the work on jobs')
}

/** Takes jobs from a queue and performs them, some at a time, until closed. */
export async function startWorker(
  settings: Config['redis'],
  { name, prefix, limits, log, dataOf }: Queued,
  { perform, isFinal, failed, gaveUp }: Work,
): Promise<Worker> {
  const { Worker, UnrecoverableError } = await import('bullmq')

  async function process(job: Job): Promise<void> {
    worker.concurrency = limits.concurrency
    const attempt: JobAttempt = { id: String(job.id), kind: job.name, data: undefined }
    try {
      attempt.data = dataOf(attempt.id, job.data)
      await perform(attempt)
    } catch (err) {
      const last = isFinal(err) || job.attemptsMade + 1 >= (job.opts.attempts ?? 1)
      const { id, kind } = attempt
      log.warn({ err, job: id, kind }, last ? 'a job was given up' : 'a job failed and will be tried again')
      if (!last) {
        failed(attempt)
        throw err
      }
      await gaveUp(attempt)
      throw new UnrecoverableError(err instanceof Error ? err.message : 'failed')
    }
  }

  // Patient: a job that is done must be told so, or another pod does it again.
  const connection = openPatient(settings, { blocking: false })
  connection.on('error', () => {})
  // The library's second connection waits for jobs: the time limits of the first are not for it.
  const duplicate = () => openPatient(settings, { blocking: true })
  const worker = new Worker(name, process, {
    connection: Object.assign(connection, { duplicate }) as never,
    prefix,
    concurrency: limits.concurrency,
    lockDuration: lockMilliseconds,
    stalledInterval: lockMilliseconds / 3,
    runRetryDelay: 1000,
    maxStalledCount: 100,
    skipVersionCheck: true,
  })
  worker.on('error', (err) => report(err, log))
  worker.on('closed', () => connection.disconnect())
  return worker
}
