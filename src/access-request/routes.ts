import type { TSchema } from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { anyUser } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { callerOf } from '#src/http/caller.ts'
import { limits } from '#src/http/limits.ts'
import { answerList } from '#src/http/listed.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import { approve, ask, cancel, decidable, deny } from './service.ts'

const decisions = ['NotFound', 'Conflict'] as const

/** Asking for access, and deciding on it; who may decide is asked of each request. */
export async function accessRequestRoutes(app: App, deps: Deps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:access-request')
  const listed = (query: { q?: string }, requests: of.AccessRequest[]) =>
    requests.filter(({ name, slug, uid }) =>
      `${name}\n${slug}\n${uid}`.toLowerCase().includes((query.q ?? '').normalize('NFKC').toLowerCase()),
    )

  const asking = row(
    'Ask for access to a resource of the catalogue.',
    { body: of.NewRequest, answer: of.Changed },
    ...(['NotFound', 'AlreadyExists', 'Conflict', 'TooManyRequests'] as const),
  )
  const rateLimit = { ...limits.accessRequest, hook: 'preHandler' as const, keyGenerator: perPerson }
  app.post('/', { ...asking, config: { ...asking.config, rateLimit } }, async (request) => {
    const results = await ask(deps, actorOf(request), request.body)
    return { results, message: 'Your request waits for a decision.' }
  })

  app.get(
    '/mine',
    row('What the caller asked for.', { querystring: of.ListQuery, answer: of.Requests }),
    async (request, reply) => {
      const { query } = request
      const found = listed(query, await deps.store.accessRequests.of(callerOf(request).uid))
      return answerList(reply, of.Request, found, { asked: query, key: key(), shown: (each) => each })
    },
  )

  app.get(
    '/',
    row('What waits for a decision of the caller.', { querystring: of.ListQuery, answer: of.Requests }),
    async (request, reply) => {
      const { query } = request
      const found = listed(query, await decidable(deps, actorOf(request)))
      return answerList(reply, of.Request, found, { asked: query, key: key(), shown: (each) => each })
    },
  )

  app.post(
    '/:id/approve',
    row(
      'Give access: whoever asked joins the group that has it. For the owner of the resource or a directory admin.',
      { params: of.Id, body: of.Decision, answer: of.Changed },
      ...decisions,
    ),
    async (request) => {
      const note = request.body?.decisionNote
      const results = await approve(deps, actorOf(request), request.params.id, note)
      return { results, message: `${results.uid} has access to ${results.name}.` }
    },
  )

  app.post(
    '/:id/deny',
    row(
      'Give no access. For the owner of the resource or a directory admin.',
      { params: of.Id, body: of.Decision, answer: of.Changed },
      ...decisions,
    ),
    async (request) => {
      const note = request.body?.decisionNote
      const results = await deny(deps, actorOf(request), request.params.id, note)
      return { results, message: 'The request is denied.' }
    },
  )

  app.delete(
    '/:id',
    row('Take back an own request.', { params: of.Id, answer: of.Changed }, ...decisions),
    async (request) => {
      const results = await cancel(deps, actorOf(request), request.params.id)
      return { results, message: 'The request is taken back.' }
    },
  )
}

function perPerson(request: Parameters<typeof callerOf>[0]): string {
  return callerOf(request).uid.toLowerCase()
}

function row<A extends TSchema, S extends { params?: TSchema; querystring?: TSchema; body?: TSchema }>(
  summary: string,
  { answer, ...input }: S & { answer: A },
  ...thrown: RefusalName[]
) {
  const response = { 200: answer, ...refusals('Unauthorized', 'InsufficientPermission', ...thrown) }
  return { config: { access: anyUser }, schema: { tags: ['access-request'], summary, ...input, response } }
}
