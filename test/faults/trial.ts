import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { until } from '#test/support/until.ts'
import { acceptInvites, giveInvites } from './invites.ts'
import type { Allowed, Window } from './judge.ts'
import { isWithin } from './judge.ts'
import type { Load } from './load.ts'
import { startLoad } from './load.ts'
import type { Rig } from './rig.ts'

/** `npm run test:faults -- --short`: every fault, but no longer than it takes to be felt. */
export const short = process.env.FAULTS === 'short'
const settling = short ? 700 : 1500

type Fault = {
  begin: (load: Load) => unknown
  /** Nothing, where it is to be got over while it lasts. */
  end?: () => unknown
  seconds?: number
  /** Asked when all is over. */
  window?: () => Window
} & Pick<Allowed, 'lost'>

/**
 * A fault under load, while people accept invites: bounded errors in our form while it lasts, then right answers without a
 * restart, nothing lost.
 */
export async function trial(t: Test, rig: Rig, { begin, end, seconds = 3, window, lost = 0 }: Fault) {
  const invites = await giveInvites(rig, 25)
  const load = startLoad(rig, rig.admin)
  const people = acceptInvites(rig, invites)
  const { users, groups, sessions } = load.acknowledged
  let from = 0
  const after = () => load.seen.filter(({ began }) => began > from)
  try {
    await pause(settling)
    await until('each kind of request was answered', async () =>
      [users, groups, sessions].every(({ length }) => length > 0),
    )
    await begin(load)
    await pause(seconds * 1000)
    await end?.()
    const ended = performance.now()
    await rig.ready()
    t.comment(`every pod is ready ${(performance.now() - ended).toFixed()} ms after the end of the fault`)
    await pause(settling)
    from = performance.now()
    await pause(settling)
    await until('many answers came afterwards', async () => after().length > 20)
  } finally {
    await Promise.all([load.stop(), people.stop()])
  }
  t.same(
    after().filter(({ status }) => status !== 200),
    [],
    'all is well again, without a restart',
  )
  const allowed = window?.()
  await load.judge(t, { lost, window: allowed })
  await people.judge(t, (at) => isWithin(allowed, at))
  return load
}
