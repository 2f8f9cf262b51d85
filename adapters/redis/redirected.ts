import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from 'ioredis'
import { Command } from 'ioredis'

type Resend<T> = { again: () => Promise<T>; alone: () => Promise<T> }

const mostTries = 5

/**
 * Sends once more what a node of a Cluster did not execute since slots move, or nodes go or come: MOVED, ASK and TRYAGAIN,
 * and a flush whose slots went to different nodes before it left. Each command goes by itself, and the second time outside
 * of any flush. Of several tries the caller's time limit is the bound.
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
      sent = kind === 'ASK' || kind === 'TRYAGAIN' || tries > 1 ? alone() : again()
    }
  }
}

type Flush = { isCluster: boolean; fillResult(answer: unknown, at: number): unknown }

/**
 * Keeps ioredis from sending a flush once more itself, which it does as it takes in the last answer: it would send all of it
 * where one command was told to go (ASK), also reads that were answered, and a key that has not moved yet is not there.
 */
export function neverWhole(flush: object): void {
  const pipeline = flush as Flush
  const fill = pipeline.fillResult.bind(pipeline)
  pipeline.fillResult = (answer, at) => {
    pipeline.isCluster = false
    try {
      return fill(answer, at)
    } finally {
      pipeline.isCluster = true
    }
  }
}

/** One command outside of any flush: ioredis itself goes after its redirections. */
export function alone<T>(cluster: Cluster, ...[name, ...args]: unknown[]): Promise<T> {
  const command = new Command(String(name), args.flat() as (string | number)[], { replyEncoding: 'utf8' })
  return cluster.sendCommand(command) as Promise<T>
}
