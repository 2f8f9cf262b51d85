import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

type Write = (...line: [unknown, ...unknown[]]) => void
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * A request's own logger is made when something is logged with it: most requests log nothing but the access line,
 * which carries their id itself.
 */
class RequestLog {
  #parent
  #bindings
  #own: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: object) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get own(): FastifyBaseLogger {
    return (this.#own ??= this.#parent.child(this.#bindings))
  }
  get level() {
    return this.#parent.level
  }
  child(...of: Parameters<FastifyBaseLogger['child']>) {
    return this.own.child(...of)
  }
}
for (const level of levels)
  Object.assign(RequestLog.prototype, {
    [level](this: RequestLog, ...line: [unknown, ...unknown[]]) {
      ;(this.own[level] as Write)(...line)
    },
  })

export const requestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (logger, bindings) =>
  new RequestLog(logger, bindings) as unknown as FastifyBaseLogger
