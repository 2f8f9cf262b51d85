/** Runs of plugins: jobs on a queue of their own, so that mail never waits for them; each in a process of its own. */
import { randomBytes } from 'node:crypto'
import type { PluginRecord } from '#adapters/redis/plugins.ts'
import type { JobAttempt } from '#adapters/redis/queue.ts'
import type { Deps } from '#src/deps.ts'
import type { Actor } from '#src/user/actor.ts'
import type { CallDeps } from './calls.ts'
import { callsFor } from './calls.ts'
import type { Ended } from './isolation.ts'
import { runApart } from './isolation.ts'
import { pluginType } from './registry.ts'
import { follow, instanceNamed, note } from './service.ts'

type Needs = CallDeps
/** `cron` says by which schedule; without one somebody asked for it. */
type RunJob = { instance: string; cron?: string }

/** Begins to work on runs, and puts right what a pod that died left undone. Disposing waits for those under way. */
export function startRuns(deps: Needs): AsyncDisposable {
  const { store, log } = deps
  const mend = async () => {
    for (const record of await store.plugins.all({ aside: true })) if (record.cron) await follow(deps, record)
  }
  mend().catch((err) => log.warn({ err }, 'the schedules of plugins were not looked through'))
  return store.runs.work({
    perform: (job) => run(deps, job),
    // A run that failed has had its try: its failure is told in its history, not thrown.
    isFinal: () => true,
    failed: () => {},
    gaveUp: async () => {},
  })
}

/** Makes a run now, on whichever pod takes it; answers its id. Throws NotFound. */
export async function askForRun(deps: Pick<Deps, 'store' | 'audit'>, by: Actor, id: string): Promise<string> {
  const record = await instanceNamed(deps, id)
  const run = `run-${randomBytes(12).toString('base64url')}`
  const data: RunJob = { instance: id }
  await deps.store.runs.add({ id: run, kind: 'run', data })
  note(deps, by, 'plugin.run', record, { run })
  return run
}

/** Runs it here and now, outside of its history; answers how that ended. Throws NotFound. */
export async function testInstance(deps: Needs, by: Actor, id: string): Promise<Ended> {
  const record = await instanceNamed(deps, id)
  const ended = await perform(deps, record)
  note(deps, by, 'plugin.test', record, { error: ended.error })
  return ended
}

async function run(deps: Needs, { id, data }: JobAttempt): Promise<void> {
  const { store } = deps
  const { instance, cron } = data as RunJob
  const record = await store.plugins.find(instance)
  if (!record) return store.runs.unschedule(instance)
  if (cron !== undefined && !(record.enabled && record.cron === cron)) return follow(deps, record)
  const began = { id, at: Date.now(), finished_at: null, status: 'running', error: null, log: '' } as const
  await store.plugins.note(instance, began)
  const ended = await perform(deps, record)
  const status = ended.error === null ? 'ok' : 'error'
  await store.plugins.note(instance, { ...began, ...ended, status, finished_at: Date.now() })
}

async function perform(deps: Needs, record: PluginRecord): Promise<Ended> {
  const { timeout, memory } = deps.config.plugins
  const secrets = await deps.store.plugins.openSecrets(record.id)
  await using calls = callsFor(deps, record, pluginType(record.pluginType)?.needs)
  return await runApart(
    { type: record.pluginType, config: record.config, secrets, milliseconds: timeout, megabytes: memory },
    calls.served,
  )
}
