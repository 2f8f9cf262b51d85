import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

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
