/**
 * The service with a line to its parent: what a lookup costs inside it, through the pool that its requests use, which
 * HTTP would blur. Only the bench starts it.
 */
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { readConfig } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { startService } from '#src/main.ts'
import { seedResources } from './resources.ts'

export type Lookup = 'search' | 'effective' | 'gate' | 'flatGate'
export type Question = { lookup: Lookup; uids: string[] } | 'forget' | 'seedResources'
/** Per person: milliseconds, what was found, and how often something was sent in the same moment: a round trip to wait for. */
export type Lookups = { milliseconds: number[]; found: number[]; trips: number[]; rounds: number[] }

/** Each prepares a lookup; what was prepared is not timed. */
const lookups: Record<Lookup, (deps: Deps, uid: string) => Promise<() => Promise<number>>> = {
  search:
    async ({ users }, uid) =>
    async () =>
      Number((await users.find(uid)) !== undefined),
  effective: async ({ accounts }, uid) => {
    const account = await accounts.find(uid)
    return async () => (await account?.groups())?.length ?? 0
  },
  gate: gateOf('app_sso_admin'),
  flatGate: gateOf('app_sso_oauth_admin'),
}

/** What a route for members of this group asks of a person it has read. */
function gateOf(group: string) {
  return async ({ accounts }: Deps, uid: string) => {
    const account = await accounts.find(uid)
    return async () => Number(await account?.isMemberOf(group))
  }
}

async function answer(deps: Deps, question: Question): Promise<Lookups> {
  const told: Lookups = { milliseconds: [], found: [], trips: [], rounds: [] }
  await forget(deps)
  if (question === 'seedResources') await seedResources(deps)
  if (question === 'forget' || question === 'seedResources') return told
  const { lookup, uids } = question
  for (const uid of uids) {
    await forget(deps)
    const run = await lookups[lookup](deps, uid)
    const start = performance.now()
    told.found.push(await run())
    told.milliseconds.push(performance.now() - start)
  }
  // Not while timed: counting keeps the loop turning.
  for (const uid of uids) {
    await forget(deps)
    const { trips, rounds } = await counted(deps, await lookups[lookup](deps, uid))
    told.trips.push(trips)
    told.rounds.push(rounds)
  }
  return told
}

/** As after a change of any group: nothing is known of anybody. The bus has told this pod too before it is timed. */
async function forget({ accounts }: Deps): Promise<void> {
  await accounts.changed({ group: '' })
  await setTimeout(2)
}

async function counted(deps: Deps, run: () => Promise<unknown>): Promise<{ trips: number; rounds: number }> {
  const before = await tripsOf(deps)
  let running = true
  const ended = run().finally(() => {
    running = false
  })
  let rounds = 0
  for (let seen = before; running; await setImmediate()) {
    const now = await tripsOf(deps)
    if (now !== seen) rounds++
    seen = now
  }
  await ended
  return { trips: (await tripsOf(deps)) - before, rounds }
}

async function tripsOf({ metrics }: Deps): Promise<number> {
  const metric = await metrics.registry.getSingleMetric('upstream_round_trips_total')?.get()
  return metric?.values.find(({ labels }) => labels.system === 'ldap')?.value ?? 0
}

await using service = await startService(readConfig(process.env))
const { deps, firstAdmin } = service
if (firstAdmin)
  console.log(`First administrator: ${firstAdmin.uid}, password (shown once): ${firstAdmin.password}`)
process.on('message', (question: Question) => {
  answer(deps, question).then((told) => process.send?.(told))
})
await once(process, 'SIGTERM')
process.disconnect()
