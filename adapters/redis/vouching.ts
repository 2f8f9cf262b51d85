import type { Connection } from './connection.ts'
import type { Usable } from './exchanges.ts'
import type { Keys } from './keys.ts'
import { recordKey } from './provider-families.ts'

const keptMilliseconds = 10_000

/**
 * Before an application is told that what it showed is void, and throws it away: is this still the server that knows? A
 * primary that is cut off goes on answering, without what its successor was told meanwhile. Each one that was asked (for
 * the client, for the code or token) has to take a durable write; UpstreamFailure where one can't. Without replicas there
 * is no successor, and nothing is asked.
 */
export function openVouching({ durably, replicated }: Connection, keys: Keys) {
  return async function vouch(shown?: { model: Usable; id: string }): Promise<void> {
    if (!replicated) return
    // Each beside a record that was read: what stands in braces chooses the node of a Cluster.
    const besides = ['directory', ...(shown ? [recordKey(keys, shown.model, shown.id)] : [])]
    await Promise.all(
      besides.map((tag) => durably('set', `${keys.prefix}:vouched:{${tag}}`, '', 'PX', keptMilliseconds)),
    )
  }
}
