import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import type { App } from './app-type.ts'

/**
 * A request lives under the signing secret it began with, also when that changes meanwhile: nothing it has read under the
 * old one is written under the new one. The events of a body come from the socket, so after it the hold is taken up again.
 */
export function holdSecret(app: App, { store }: Pick<Deps, 'store'>): void {
  const holds = new WeakMap<FastifyRequest, ReturnType<typeof store.keys.hold>>()
  app.addHook('onRequest', (request, _reply, done) => {
    const hold = store.keys.hold()
    if (request.method !== 'GET') holds.set(request, hold)
    hold(done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const hold = holds.get(request)
    if (hold) hold(done)
    else done()
  })
}
