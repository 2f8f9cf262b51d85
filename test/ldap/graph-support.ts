import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'ldapts'
import { EqualityFilter } from 'ldapts'

/** Asks again and again, since refint works after the answer; throws when it is not so in time. */
export async function settled(holds: () => Promise<boolean>, milliseconds = 10_000): Promise<void> {
  const end = performance.now() + milliseconds
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so after ${milliseconds} ms`)
    await pause(5)
  }
}

/** SIGSTOP, and waits until every thread has heard it: on a busy machine some go on for milliseconds after the signal. */
export async function standStill(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await settled(async () => {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
    const states = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8'))
    return (await Promise.all(states)).every((stat) => stat.includes(') T '))
  })
}

/** Whom a group lists. */
export async function membersOf(client: Client, dn: string): Promise<string[]> {
  const { searchEntries } = await client.search(dn, { scope: 'base', attributes: ['member'] })
  return [searchEntries[0]?.member ?? []].flat().map(String)
}

/** Until no group lists it any more, and refint has nothing left to write for one that was deleted. */
export function forgotten(client: Client, base: string, dn: string): Promise<void> {
  const filter = new EqualityFilter({ attribute: 'member', value: dn })
  return settled(async () => (await client.search(base, { filter })).searchEntries.length === 0)
}

export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch {
      await pause(5)
    }
  }
}

export function chains(via: Map<string, string[]> | undefined): [string, number][] {
  return [...(via ?? [])].map(([dn, chain]): [string, number] => [dn, chain.length]).sort()
}
