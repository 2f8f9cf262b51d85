import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Messages } from '#test/support/messages.ts'
import { acceptInvites, giveInvites } from './invites.ts'
import { startLoad } from './load.ts'
import type { Rig } from './rig.ts'

type Fault = {
  begin: () => unknown
  /** Nothing, where it is to be got over while it lasts. */
  end?: () => unknown
  seconds?: number
  /** Answers that may be lost on the way. */
  lost?: number
  /** Catches the mail of the rig's pods: then people accept invites meanwhile. */
  messages?: Messages
}

/** A fault under load: bounded errors in our form while it lasts, then right answers without a restart, nothing lost. */
export async function trial(t: Test, rig: Rig, { begin, end, seconds = 3, lost = 0, messages }: Fault) {
  const given = messages && (await giveInvites(rig, messages, 25))
  const load = startLoad(rig, rig.admin)
  const people = given && acceptInvites(rig, given)
  let from = 0
  try {
    await pause(1000)
    await begin()
    await pause(seconds * 1000)
    await end?.()
    const ended = performance.now()
    await rig.ready()
    t.comment(`every pod is ready ${(performance.now() - ended).toFixed()} ms after the end of the fault`)
    await pause(1500)
    from = load.seen.length
    await pause(1500)
  } finally {
    await Promise.all([load.stop(), people?.stop()])
  }
  const after = load.seen.slice(from)
  t.ok(after.length > 10)
  t.same(
    after.filter(({ status }) => status !== 200),
    [],
    'all is well again, without a restart',
  )
  await load.judge(t, { lost })
  await people?.judge(t)
  return load
}
