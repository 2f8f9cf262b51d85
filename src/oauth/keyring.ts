import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { JWK } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import type { KeyTimes } from './key-plan.ts'
import { planKeys, slackOf } from './key-plan.ts'

export type Needs = Pick<Deps, 'config' | 'store' | 'log'>

/**
 * Looks after the signing keys while the service runs: every minute or more often a pod reads them, makes what is
 * missing, deletes what is spent, and gives those to be published now to `prepare`, where they differ from the last, whose
 * answer puts them in force. It looks at once when another pod has made one, and when messages may have been missed: a Redis
 * that came back empty gets new keys. While Redis is away the plan goes on with the keys known. Throws UpstreamFailure when
 * that is so at start.
 */
export async function watchKeys(
  deps: Needs,
  prepare: (published: JWK[]) => Promise<() => void>,
): Promise<KeyWatch> {
  const { store, log } = deps
  const closing = new AbortController()
  let adopted = ''
  /** The last that could be used, and how far our clock is behind Redis's. */
  let known: Seen & { behind: number } = { now: 0, keys: [], behind: 0 }
  /** Counts the renewals: what was read before one is not put in force after it. */
  let renewals = 0

  async function adoptNow({ published }: ReturnType<typeof planOf>, since: number): Promise<void> {
    const keys = published.map(({ jwk }) => jwk)
    const text = JSON.stringify(keys)
    if (text === adopted) return
    const adopt = await prepare(keys)
    if (since !== renewals) return
    adopt()
    adopted = text
  }

  /** A second pass sees what the first has made. */
  async function look(): Promise<void> {
    const since = renewals
    for (let pass = 0; pass < 3; pass++) {
      const seen = await store.signingKeys.read()
      const plan = planOf(seen, deps)
      if (since !== renewals) return
      if (plan.complete) {
        known = { ...seen, behind: seen.now - Date.now() }
        await adoptNow(plan, since)
      }
      await Promise.all(plan.spent.map(store.signingKeys.drop))
      if (plan.missing.length === 0) return
      const made = plan.missing.map(({ latest, ...key }) => store.signingKeys.make(key, latest))
      if ((await Promise.all(made)).includes(true)) await store.bus.publish('signing-keys', 'made')
    }
  }

  async function lookOrGoOn(): Promise<void> {
    if (closing.signal.aborted) return
    await look().catch(async (error) => {
      if (known.keys.length === 0) throw error
      log.warn({ err: error }, 'the signing keys cannot be read; those known are used')
      await adoptNow(planOf({ keys: known.keys, now: Date.now() + known.behind }, deps), renewals)
    })
  }

  let last = look()
  await last
  // Bound to no request, which may still live under the secret of before.
  const lookAgain = AsyncLocalStorage.bind(() => {
    last = last
      .then(lookOrGoOn)
      .catch((error) => log.error({ err: error }, 'the signing keys stay as they were'))
  })
  let waking = new AbortController()
  store.bus.subscribe('signing-keys', lookAgain)
  store.bus.onGap(lookAgain)
  const watching = (async () => {
    while (!closing.signal.aborted) {
      const most = slackOf(timesOf(deps))
      waking = new AbortController()
      await pause(most * (0.5 + Math.random() / 2), undefined, { ref: false, signal: waking.signal }).catch(
        () => {}, // woken
      )
      lookAgain()
      await last
    }
  })()

  return {
    renew(voided) {
      renewals += 1
      adopted = ''
      if (voided) known = { now: 0, keys: [], behind: 0 }
      waking.abort() // the times may be others
    },
    async look() {
      lookAgain()
      await last
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      waking.abort()
      await watching
      await last
    },
  }
}

export type KeyWatch = AsyncDisposable & {
  /** From now on nothing from before is put in force, and of `voided` keys none is used; the next look adopts anew. */
  renew(voided: boolean): void
  /** Answers when everything that was begun has been looked at; what went wrong stands in the log. */
  look(): Promise<void>
}
type Seen = Awaited<ReturnType<Deps['store']['signingKeys']['read']>>

function planOf({ keys, now }: Seen, deps: Needs) {
  return planKeys(keys, deps.store.signingKeys.algorithms, now, timesOf(deps))
}

function timesOf({ config }: Pick<Needs, 'config'>): KeyTimes {
  const { period_seconds, prepublish_seconds, retain_seconds } = config.oauth.keys
  return {
    period: period_seconds * 1000,
    prepublish: prepublish_seconds * 1000,
    retain: retain_seconds * 1000,
  }
}
