import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import { Ajv } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from 'fastify'
import fastify, { LogController } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { maskUrl } from '#src/log.ts'
import { trustIn, wholeAddress } from './address.ts'
import type { App } from './app-type.ts'
import { installFailures } from './failures.ts'
import { installHeaders } from './headers.ts'
import { endConnections } from './leaving.ts'
import { requestLog } from './request-log.ts'
import { answerUnreadable, answerUnroutable } from './unrouted.ts'

/** A Fastify server with what every route shares: failures, headers, validation, cookies, request log, metrics. */
export async function createServer(deps: Pick<Deps, 'config' | 'log' | 'metrics' | 'leaving'>): Promise<App> {
  const { config, log } = deps
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 128 * 1024,
    trustProxy: trustIn(config),
    routerOptions: { maxParamLength: 1024 },
    childLoggerFactory: requestLog,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerUnreadable,
    // Given here, what Fastify would compile schemas with is not even loaded.
    schemaController: { compilersFactory: schemaCompilers() },
  }) as unknown as App
  installFailures(app)
  installHeaders(app, deps)
  observeRequests(app, deps)
  endConnections(app)
  await app.register(cookie)
  return app
}

/**
 * Bodies are taken as they come (a number is no password); query and path arrive as text and are converted. A schema is
 * made a function of when its route is first used: to do so for all of them would be half of the start
 * (test/access-matrix.test.ts does).
 */
function schemaCompilers(): Compilers {
  // Whether our schemas are schemas is asked by that test too: the standard's own would first be made a function.
  const trusting = { meta: false, validateSchema: false, strict: false, allowUnionTypes: true }
  const options = { ...trusting, allErrors: false, useDefaults: true }
  const strict = new Ajv({ ...options, coerceTypes: false })
  const coercing = new Ajv({ ...options, coerceTypes: true })
  const validator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing
    const validate: ReturnType<FastifySchemaCompiler<object>> = (value) => {
      const check = ajv.compile(schema) // kept by ajv
      const valid = check(value)
      validate.errors = check.errors ?? null
      return valid
    }
    return validate
  }
  const serializer: FastifySerializerCompiler<object> = ({ schema }) => {
    let serialize: ((value: unknown) => string) | undefined
    return (value) => (serialize ??= fastJson(schema))(value)
  }
  return { buildValidator: () => validator, buildSerializer: () => serializer } as unknown as Compilers
}

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** One measurement per request, and one log line: at debug level where only programs ask, all day, and all is well. */
function observeRequests(app: App, { log, metrics }: Pick<Deps, 'log' | 'metrics'>): void {
  // What is logged here is named here, and the URL is masked: nothing to look through for secrets.
  const access = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const milliseconds = reply.elapsedTime
    const { url: route = 'none', config } = request.routeOptions
    metrics.observeRequest(request.method, route, reply.statusCode, milliseconds / 1000)
    if (access.level !== log.level) access.level = log.level
    const level = config.quiet && reply.statusCode < 400 ? 'debug' : 'info'
    if (!access.isLevelEnabled(level)) return done()
    access[level](
      {
        reqId: request.id,
        method: request.method,
        url: maskUrl(request.url),
        status: reply.statusCode,
        milliseconds: Math.round(milliseconds * 10) / 10,
        address: wholeAddress(request),
      },
      'request',
    )
    done()
  })
}
