import type { AuditRecord } from '#adapters/redis/audit.ts'
import type { WebhookRecord } from '#adapters/redis/webhooks.ts'
import type { Deps } from '#src/deps.ts'
import type { WebhookJob } from './delivery.ts'

type Needs = Pick<Deps, 'audit' | 'store' | 'config' | 'log'>

const readMilliseconds = 1000

/**
 * Looks every second at what is new in the audit log, on one of the pods, and makes a job for each webhook that wants to
 * know. What is in the log is told, whatever becomes of the pod that wrote it: the cursor moves after the jobs are in
 * Redis, and a job that is made twice is one. Disposing waits for the turn under way.
 */
export function startWebhooks(deps: Needs): AsyncDisposable {
  const { audit, log } = deps
  let stopped = false
  let turn = Promise.resolve()
  const reading = {
    from: () => wantedFrom(deps),
    handle: (events: AuditRecord[]) => makeJobs(deps, events),
  }
  const next = () => {
    turn = turn
      .then(() => audit.reader.turn(reading, () => stopped))
      .catch((err) => log.warn({ err }, 'webhooks were not told of new events; the next turn tries again'))
  }
  const timer = setInterval(next, readMilliseconds).unref()
  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      clearInterval(timer)
      await turn
    },
  }
}

/** `user.*` is every action that begins with `user.`, `*` every one. */
export function matches(pattern: string, action: string): boolean {
  return (
    pattern === '*' ||
    pattern === action ||
    (pattern.endsWith('.*') && action.startsWith(pattern.slice(0, -1)))
  )
}

/** The earliest that an enabled webhook wants to know from. */
async function wantedFrom({ store }: Needs): Promise<string | undefined> {
  const enabled = (await store.webhooks.all({ aside: true })).filter(({ enabled }) => enabled)
  return enabled.map(({ from }) => from).sort(byId)[0]
}

/** The webhooks are read after the events: one made before an event is among them. */
async function makeJobs({ store, config }: Needs, events: AuditRecord[]): Promise<void> {
  const webhooks = await store.webhooks.all({ aside: true })
  const { attempts, backoff } = config.webhooks
  const jobs = events.flatMap((event) =>
    webhooks
      .filter((webhook) => wants(webhook, event))
      .map(({ id }) => {
        const data: WebhookJob = { webhook: id, event: event.id }
        return { id: `webhook-${id}-${event.id}`, kind: 'webhook', data, unwaited: true, attempts, backoff }
      }),
  )
  if (jobs.length > 0) await store.jobs.add(...jobs)
}

function wants({ enabled, from, events }: WebhookRecord, { id, action }: AuditRecord): boolean {
  return enabled && byId(id, from) > 0 && events.some((pattern) => matches(pattern, action))
}

/** Ids are `<milliseconds>-<number>`. */
function byId(a: string, b: string): number {
  const [atA = 0, nthA = 0] = a.split('-').map(Number)
  const [atB = 0, nthB = 0] = b.split('-').map(Number)
  return atA - atB || nthA - nthB
}
