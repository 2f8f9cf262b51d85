import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from 'ioredis'
import { Command } from 'ioredis'

type Resend<T> = { again: () => Promise<T>; alone: () => Promise<T> }

const mostTries = 5

/**
 * Sends once more what ioredis leaves to the caller when a node of a Cluster goes or comes, or slots move between nodes:
 * it gives up on the differing MOVED answers of one flush without learning from them, on ASK and TRYAGAIN in a flush, and
 * on a flush whose slots went to different nodes before it left. None was executed, so it is safe. Of several tries the
 * caller's time limit is the bound.
 */
export async function redirected<T>(
  cluster: Cluster,
  answer: Promise<T>,
  { again, alone }: Resend<T>,
): Promise<T> {
  let sent = answer
  for (let tries = 1; ; tries++) {
    try {
      return await sent
    } catch (error) {
      const { name, message } = error as Error
      const kind = message.split(' ', 1)[0] as string
      const split = /same slots allocation group$/.test(message)
      if (name === 'ReplyError' ? !/^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN)$/.test(kind) : !split) {
        if (name !== 'ReplyError') cluster.refreshSlotsCache()
        throw error
      }
      const learned = new Promise<void>((resolve) => cluster.refreshSlotsCache(() => resolve()))
      if (kind === 'CLUSTERDOWN' || tries === mostTries) throw error
      if (kind === 'MOVED') await learned
      if (kind === 'TRYAGAIN') await pause(20)
      sent = kind === 'ASK' || kind === 'TRYAGAIN' ? alone() : again()
    }
  }
}

/** One command outside of any flush: ioredis itself goes after its redirections. */
export function alone<T>(cluster: Cluster, ...[name, ...args]: unknown[]): Promise<T> {
  const command = new Command(String(name), args.flat() as (string | number)[], { replyEncoding: 'utf8' })
  return cluster.sendCommand(command) as Promise<T>
}
