import { setTimeout as pause } from 'node:timers/promises'
import type { JWK } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import type { KeyTimes } from './key-plan.ts'
import { planKeys, slackOf } from './key-plan.ts'

export type Needs = Pick<Deps, 'config' | 'store' | 'log'>

/**
 * Looks after the signing keys while the service runs: every minute or more often a pod reads them, makes what is
 * missing, deletes what is spent, and gives those to be published now to `adopt`, where they differ from the last. It
 * looks at once when another pod has made one, and when messages may have been missed: a Redis that came back empty gets
 * new keys. While Redis is away the plan goes on with the keys known. Throws UpstreamFailure when that is so at start.
 */
export async function watchKeys(
  deps: Needs,
  adopt: (published: JWK[]) => Promise<void>,
): Promise<AsyncDisposable> {
  const { store, log } = deps
  const closing = new AbortController()
  let adopted = ''
  /** The last that could be used, and how far our clock is behind Redis's. */
  let known: Seen & { behind: number } = { now: 0, keys: [], behind: 0 }

  async function adoptNow({ published }: ReturnType<typeof planOf>): Promise<void> {
    const keys = published.map(({ jwk }) => jwk)
    const text = JSON.stringify(keys)
    if (text === adopted) return
    await adopt(keys)
    adopted = text
  }

  /** A second pass sees what the first has made. */
  async function look(): Promise<void> {
    for (let pass = 0; pass < 3; pass++) {
      const seen = await store.signingKeys.read()
      const plan = planOf(seen, deps)
      if (plan.complete) {
        known = { ...seen, behind: seen.now - Date.now() }
        await adoptNow(plan)
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
      log.warn({ err: error }, 'the signing keys cannot be read; those known are used')
      await adoptNow(planOf({ keys: known.keys, now: Date.now() + known.behind }, deps))
    })
  }

  let last = look()
  await last
  const lookAgain = () => {
    last = last
      .then(lookOrGoOn)
      .catch((error) => log.error({ err: error }, 'the signing keys stay as they were'))
  }
  store.bus.subscribe('signing-keys', lookAgain)
  store.bus.onGap(lookAgain)
  const watching = (async () => {
    for (;;) {
      const most = slackOf(timesOf(deps))
      await pause(most * (0.5 + Math.random() / 2), undefined, { ref: false, signal: closing.signal })
      lookAgain()
      await last
    }
  })().catch(() => {}) // ended

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      await watching
      await last
    },
  }
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
