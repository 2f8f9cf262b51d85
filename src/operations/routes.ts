import { readFile } from 'node:fs/promises'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { wholeAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { answer } from '#src/http/replies.ts'
import { isProof, proofHeader } from './proof.ts'

const document = new URL('../../docs/openapi.json', import.meta.url)

/** What operators and engineers ask of the process itself (contract section 1, operations). */
export async function operationRoutes(
  app: App,
  deps: Pick<Deps, 'directory' | 'store' | 'metrics' | 'leaving'>,
) {
  app.get(
    '/healthz',
    {
      config: { quiet: true },
      schema: {
        tags: ['operations'],
        summary: 'The process lives.',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { quiet: true },
      schema: {
        tags: ['operations'],
        summary: 'LDAP and Redis answer, and the process was not told to end; names what does not.',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (request, reply) => {
      const readiness = await readinessOf(deps)
      const proven = isProof(deps.store.keys.derive('doctor'), request.headers[proofHeader], Date.now())
      return reply
        .code(readiness.status === 'ready' ? 200 : 503)
        .send(proven ? { ...readiness, address: wholeAddress(request) } : readiness)
    },
  )

  app.get(
    '/metrics',
    { config: { quiet: true }, schema: { tags: ['operations'], summary: 'Prometheus metrics.' } },
    async (_request, reply) =>
      reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics()),
  )

  app.get(
    '/api/openapi.json',
    { schema: { tags: ['operations'], summary: 'This API as OpenAPI 3.1.' } },
    async (_request, reply) => reply.type('application/json').send(await readFile(document)),
  )
}

const Readiness = answer({
  status: Type.Enum(['ready', 'not ready', 'leaving']),
  ldap: Type.Enum(['ok', 'away']),
  redis: Type.Enum(['ok', 'away']),
  address: Type.Optional(
    Type.String({ description: 'The address you come from, told to npm run doctor only.' }),
  ),
  warnings: Type.Array(Type.String(), { description: 'What could lose records, such as persistence off.' }),
})

async function readinessOf({ directory, store, leaving }: Pick<Deps, 'directory' | 'store' | 'leaving'>) {
  const [ldap, redis] = await Promise.allSettled([directory.ping(), store.health()])
  const up = ldap.status === 'fulfilled' && redis.status === 'fulfilled'
  return {
    status: leaving.signal.aborted ? ('leaving' as const) : up ? ('ready' as const) : ('not ready' as const),
    ldap: ldap.status === 'fulfilled' ? ('ok' as const) : ('away' as const),
    redis: redis.status === 'fulfilled' ? ('ok' as const) : ('away' as const),
    warnings: redis.status === 'fulfilled' ? redis.value.warnings : [],
  }
}
