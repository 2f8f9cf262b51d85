/**
 * Where the provider lives. The library cannot change its signing keys, so a change of them is a new `Provider` in the
 * place of the old one; requests under way end on the old one, and what they leave behind is in Redis.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { openClients } from './clients.ts'
import type { Documents } from './discovery.ts'
import { documentsOf } from './discovery.ts'
import { watchKeys } from './keyring.ts'
import { buildProvider } from './provider.ts'

/** Ask it at each request, and keep nothing of it: all of it changes with the keys. */
export type ProviderHolder = {
  readonly current: Provider
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly documents: Documents
}

/** Disposing the answer ends the watch over the keys. */
export async function openProvider(deps: Deps): Promise<ProviderHolder & AsyncDisposable> {
  const clients = openClients(deps)
  const holder = {} as ProviderHolder
  const watch = await watchKeys(deps, async (keys) => {
    const current = buildProvider(deps, clients, keys)
    const handle = current.callback()
    const documents = await documentsOf(handle, deps)
    Object.assign(holder, { current, handle, documents })
    deps.log.info({ keys: keys.length }, 'signing keys adopted')
  })
  return Object.assign(holder, { [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() })
}
