import { setTimeout as pause } from 'node:timers/promises'

/** Asks again and again, since refint works after the answer; throws when it is not so in time. */
export async function settled(holds: () => Promise<boolean>, milliseconds = 10_000): Promise<void> {
  const end = performance.now() + milliseconds
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not so after ${milliseconds} ms`)
    await pause(5)
  }
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
