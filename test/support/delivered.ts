import { setTimeout } from 'node:timers/promises'
import type { Deps } from '#src/deps.ts'

/** Resolves when every message that was begun has gone out or waits to be tried again: for saying that no other came. */
export async function delivered({ background, store }: Pick<Deps, 'background' | 'store'>): Promise<void> {
  await background.settled()
  for (;;) {
    const { waiting, active } = await store.jobs.counts()
    if (waiting + active === 0) return
    await setTimeout(20)
  }
}
