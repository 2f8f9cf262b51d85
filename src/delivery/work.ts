import type { Message } from '#adapters/mail.ts'
import type { JobAttempt } from '#adapters/redis/queue.ts'
import type { TextMessage } from '#adapters/sms.ts'
import type { Deps } from '#src/deps.ts'
import { giveUpOn, spread, spreadNoFurther, writeTo } from '#src/notification/jobs.ts'
import { neverTold, tellOfLogout } from '#src/oauth/logout-notices.ts'
import { neverToldWebhook, tellWebhook } from '#src/webhook/delivery.ts'

type Kind = {
  perform(deps: Deps, data: never, id: string): Promise<void>
  /** After the last attempt, where somebody wants to know. */
  gaveUp?(deps: Deps, data: never): Promise<void>
}

/** Every kind of job there is. */
const kinds: Record<string, Kind> = {
  mail: { perform: ({ mail }, message: Message, id) => mail.send({ ...message, id }) },
  sms: { perform: ({ sms }, text: TextMessage) => sms.send(text) },
  notification: { perform: spread, gaveUp: spreadNoFurther },
  logout: { perform: tellOfLogout, gaveUp: neverTold },
  webhook: { perform: tellWebhook, gaveUp: neverToldWebhook },
  recipient: { perform: writeTo, gaveUp: giveUpOn },
}

/** Begins to work on jobs beside the requests; disposing waits for those under way. */
export function startDelivery(deps: Deps): AsyncDisposable {
  const { store, mail, sms, egress, metrics } = deps
  metrics.watchJobs({ delivery: store.jobs.counts, plugins: store.runs.counts })
  const kindOf = ({ kind }: JobAttempt): Kind => {
    const known = kinds[kind]
    if (!known) throw new Error(`no such kind of job: ${kind}`)
    return known
  }
  const count = ({ kind }: JobAttempt, outcome: 'sent' | 'retry' | 'failed') =>
    metrics.deliveries.inc({ kind, outcome })
  return store.jobs.work({
    async perform(job) {
      await kindOf(job).perform(deps, job.data as never, job.id)
      count(job, 'sent')
    },
    isFinal: (error) => [mail, sms, egress].some((way) => way.isFinal(error)),
    failed: (job) => count(job, 'retry'),
    async gaveUp(job) {
      count(job, 'failed')
      await kindOf(job).gaveUp?.(deps, job.data as never)
    },
  })
}
