/**
 * Where the provider lives. The library cannot change its signing keys, nor its issuer, so a change of them is a new
 * `Provider` in the place of the old one; requests under way end on the old one, and what they leave behind is in Redis.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openClients } from './clients.ts'
import type { Documents } from './discovery.ts'
import { documentsOf } from './discovery.ts'
import { watchKeys } from './keyring.ts'
import { buildProvider } from './provider.ts'

/** Ask it at each request, and keep nothing of it: all of it changes with the keys and the settings under `oauth`. */
export type ProviderHolder = {
  readonly current: Provider
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly documents: Documents
  /** True while settings have changed and the provider that follows them is not there yet; `handle` waits for it. */
  readonly renewing: boolean
}

/** Disposing the answer ends the watch over the keys. */
export async function openProvider(deps: Deps): Promise<ProviderHolder & AsyncDisposable> {
  const clients = openClients(deps)
  const holder = {} as ProviderHolder
  const watch = await watchKeys(deps, async (keys) => {
    const current = buildProvider(deps, clients, keys)
    const callback = current.callback()
    const handle: ProviderHolder['handle'] = async (request, response) => {
      // Codes and tokens of before a new signing secret are void: none is redeemed under the new one.
      if (deps.store.keys.isPast()) throw new Refusal('UpstreamFailure')
      return callback(request, response)
    }
    const documents = await documentsOf(callback, deps)
    return () => {
      Object.assign(holder, { current, handle, documents, renewing: false })
      deps.log.info({ keys: keys.length }, 'signing keys adopted')
    }
  })
  // What the old provider would say is not so any more: requests wait for the new one.
  deps.standing.onChange((changed) => {
    if (![...changed].some((path) => path.startsWith('oauth.'))) return
    watch.renew(changed.has('oauth.jwtSecret'))
    let looking: Promise<void> | undefined
    const waiting: ProviderHolder['handle'] = async (request, response) => {
      looking ??= watch.look()
      await looking
      looking = undefined
      if (holder.handle === waiting) throw new Refusal('UpstreamFailure')
      return holder.handle(request, response)
    }
    Object.assign(holder, { handle: waiting, renewing: true })
    looking = watch.look()
  })
  return Object.assign(holder, { [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() })
}
