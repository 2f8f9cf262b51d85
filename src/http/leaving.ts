/**
 * The end of a pod, so that no request fails: it says that it is not ready, stops listening when nobody is
 * connecting, and ends each connection with an answer.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Deps } from '#src/deps.ts'
import type { App } from './app-type.ts'

/** Turns of the event loop in which nobody connected: whoever was waiting to be accepted has been. */
const quietTurns = 5
/** A turn that did more than look around was long enough for somebody to connect behind its back. */
const quietMilliseconds = 0.2
const mostTurns = 10_000

/**
 * Once no connection is accepted any more, each client is told that its connection ends with the answer, also where the
 * answer is written past Fastify: the next one leads to another pod. Until then connections are kept, since each one that
 * ends is followed by one that may be on its way when the pod stops listening.
 */
export function endConnections(app: App): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  const end = (reply: FastifyReply) =>
    (closing || !app.server.listening) && reply.header('connection', 'close')
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
 * Goes on answering until whatever stands before the pods has noticed that this one is not ready any more; then accepts
 * nobody else, and waits as long again for the connections there are to end with an answer or by their other end: closed
 * under a request that is just being sent, it would be lost. A second SIGTERM ends the wait.
 */
export async function leave(app: App, { config, log, leaving }: Pick<Deps, 'config' | 'log' | 'leaving'>) {
  leaving.abort()
  log.info('told to end: not ready any more')
  const { server } = app
  const waiting = new AbortController()
  const told = once(process, 'SIGTERM', waiting)
  const drained = () => Promise.race([pause(config.listen.drain * 1000, undefined, waiting), told])
  await drained()
  const ended = once(server, 'close', waiting)
  await stopListening(server)
  await Promise.race([drained(), ended])
  waiting.abort()
}

/** The kernel resets whoever is connected and not yet accepted: in a turn in which there is nobody. */
async function stopListening(server: Server): Promise<void> {
  let quiet = 0
  server.on('connection', () => {
    quiet = 0
  })
  for (let turns = 0; quiet < quietTurns && turns < mostTurns; turns++) {
    const began = performance.now()
    await turn()
    quiet = performance.now() - began < quietMilliseconds ? quiet + 1 : 0
  }
  // HTTP's own would close idle connections with it.
  Listener.prototype.close.call(server)
}
