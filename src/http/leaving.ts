/**
 * The end of a pod, so that no request fails: it says that it is not ready, ends each connection with an answer, and stops
 * listening when nobody is connecting.
 */
import { once } from 'node:events'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Deps } from '#src/deps.ts'
import type { App } from './app-type.ts'

/** Turns of the event loop in which nobody connected: whoever was waiting to be accepted has been. */
const quietTurns = 5
const mostTurns = 10_000

/**
 * Once the process was told to end, each client is told that its connection ends with the answer, also where the answer
 * is written past Fastify. Closing answers what is under way; a connection that stays open all the same is closed once it
 * is idle.
 */
export function endConnections(app: App, { leaving: { signal } }: Pick<Deps, 'leaving'>): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  const end = (reply: FastifyReply) => (closing || signal.aborted) && reply.header('connection', 'close')
  app.addHook('onRequest', (_request, reply, done) => {
    end(reply)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    end(reply)
    done(null, payload)
  })
  app.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
}

/**
 * Goes on answering until whatever stands before the pods has noticed that this one is not ready any more, and has let
 * go of its connections: closed under a request that is just being sent, it would be lost. A second SIGTERM ends the wait.
 */
export async function leave(app: App, { config, log, leaving }: Pick<Deps, 'config' | 'log' | 'leaving'>) {
  leaving.abort()
  log.info('told to end: not ready any more')
  const waiting = new AbortController()
  const noticed = pause(config.listen.drain * 1000, undefined, waiting)
  await Promise.race([noticed, once(process, 'SIGTERM', waiting)])
  waiting.abort()
  await stopListening(app)
}

/** The kernel resets whoever is connected and not yet accepted: in a turn in which there is nobody. */
async function stopListening({ server }: App): Promise<void> {
  let quiet = 0
  server.on('connection', () => {
    quiet = 0
  })
  for (let turns = 0; quiet < quietTurns && turns < mostTurns; turns++) {
    await turn()
    quiet++
  }
  server.close()
}
