import { setTimeout as pause } from 'node:timers/promises'
import { add, firstOf, take } from './entry.ts'
import { present } from './filters.ts'
import type { Layout } from './layout.ts'
import type { Pool } from './pool.ts'
import { codeOf } from './results.ts'

/**
 * Numbers for users and groups from one entry of the directory (`serialNumber` of a `device`, which every server
 * knows), by compare-and-swap: deleting the value that was read fails (16) when somebody was quicker. A number is
 * never given twice; one whose entry could not be made stays unused.
 */
export function openCounter(pool: Pool, { number: { entry, minimum } }: Pick<Layout, 'number'>) {
  let turn: Promise<unknown> = Promise.resolve()

  async function read(): Promise<string | undefined> {
    const [found] = await pool.search(entry, {
      scope: 'base',
      filter: present('serialNumber'),
      attributes: ['serialNumber'],
    })
    return found && firstOf(found, 'serialNumber')
  }

  /** Answers the number that is next, and moves on to what `after` says; not at all for none. */
  async function swap(after: (number: number) => number | undefined): Promise<number> {
    for (;;) {
      const value = await read()
      if (value === undefined) throw new Error(`The directory has no counter ${entry}`)
      const number = Math.max(Number(value), minimum)
      const next = after(number)
      if (next === undefined) return number
      try {
        await pool.write('change', (connection) =>
          connection.modify(entry, [take('serialNumber', value), add('serialNumber', String(next))]),
        )
        return number
      } catch (error) {
        if (codeOf(error) !== 16) throw error
        await pause(Math.random() * 4)
      }
    }
  }

  function queued(after: (number: number) => number | undefined): Promise<number> {
    const mine = turn.then(() => swap(after))
    turn = mine.catch(() => {})
    return mine
  }

  return {
    /** The number given next, or a lower one by the time it is read; the least one where there is no counter yet. */
    async peek(): Promise<number> {
      return Math.max(Number((await read()) ?? minimum), minimum)
    },
    /** Two round trips; takers of one pod queue here, so that only pods contend. */
    next: () => queued((number) => number + 1),
    /** From now on only numbers above `highest` are given. */
    async passOver(highest: number): Promise<void> {
      await queued((number) => (number > highest ? undefined : highest + 1))
    },
  }
}
export type Counter = ReturnType<typeof openCounter>
