import type { Deps } from '#src/deps.ts'
import type { App } from './app-type.ts'

/**
 * A request lives under the signing secret it began with, also when that changes meanwhile: nothing it has read under the
 * old one is written under the new one. Fastify keeps the hold over the events of a body.
 */
export function holdSecret(app: App, { store }: Pick<Deps, 'store'>): void {
  app.addHook('onRequest', (_request, _reply, done) => store.keys.hold(done))
}
