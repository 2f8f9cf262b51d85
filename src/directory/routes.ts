import type { TSchema } from 'typebox'
import type { ProviderDeps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { memberOf } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { answerList } from '#src/http/listed.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import {
  createResource,
  removeResource,
  resourceNamed,
  rotateSecretOf,
  shownTo,
  updateResource,
} from './service.ts'

/** Resources, for directory admins; the clients among them are those of /api/oauth/client. */
export async function resourceRoutes(app: App, deps: ProviderDeps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:resource')
  const shown = async () => shownTo(await deps.store.resources.current(), deps)

  app.get(
    '/',
    row('All resources, or a page of them.', { querystring: of.ResourceQuery, answer: of.Resources }),
    async ({ query }, reply) => {
      const now = await deps.store.resources.current()
      const wanted = (query.q ?? '').normalize('NFKC').toLowerCase()
      const found = [...now.resources.values()].filter(
        ({ id, kind, name, slug }) =>
          (query.kind === undefined || kind === query.kind) &&
          `${id}\n${name}\n${slug}`.toLowerCase().includes(wanted),
      )
      return answerList(reply, of.Resource, found, { asked: query, key: key(), shown: shownTo(now, deps) })
    },
  )

  app.post(
    '/',
    row(
      'Makes a resource; the secret of an OAuth client is shown this once.',
      { body: of.NewResource, answer: of.CreatedResource },
      'AlreadyExists',
      'Conflict',
    ),
    async (request) => {
      const { record, secret } = await createResource(deps, actorOf(request), request.body)
      return {
        results: (await shown())(record),
        ...(secret === undefined ? {} : { client_secret: secret }),
        message: secret === undefined ? 'The resource is made.' : 'Keep the secret: it is not shown again.',
      }
    },
  )

  app.get(
    '/:id',
    row('One resource.', { params: of.Id, answer: of.OneResource }, 'NotFound'),
    async ({ params }) => {
      const record = await resourceNamed(deps, params.id)
      return { results: (await shown())(record) }
    },
  )

  app.put(
    '/:id',
    row(
      'Changes what is given and leaves the rest; metadata is replaced whole.',
      { params: of.Id, body: of.ResourceChanges, answer: of.ChangedResource },
      ...(['NotFound', 'AlreadyExists', 'Conflict'] as const),
    ),
    async (request) => {
      const record = await updateResource(deps, actorOf(request), request.params.id, request.body)
      return { results: (await shown())(record), message: 'The resource is changed.' }
    },
  )

  app.delete(
    '/:id',
    row(
      'Removes a resource that nothing lies below.',
      { params: of.Id, answer: of.Gone },
      'NotFound',
      'Conflict',
    ),
    async (request) => {
      const { id } = request.params
      await removeResource(deps, actorOf(request), id)
      return { id, message: 'The resource is removed.' }
    },
  )

  app.post(
    '/:id/rotate-secret',
    row(
      'A new secret for an OAuth client, shown this once; the old one is invalid at once.',
      { params: of.Id, answer: of.RotatedSecret },
      ...(['NotFound', 'Conflict'] as const),
    ),
    async (request) => {
      const { id } = request.params
      const client_secret = await rotateSecretOf(deps, actorOf(request), id)
      return { results: { id }, client_secret, message: 'Keep the secret: it is not shown again.' }
    },
  )
}

/** A row of the directory's tables. */
export function row<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema>(
  summary: string,
  { answer, ...given }: { params?: P; querystring?: Q; body?: B; answer: A },
  ...thrown: RefusalName[]
) {
  return {
    config: { access: memberOf('app_sso_directory_admin') },
    schema: {
      tags: ['directory-admin'],
      summary,
      ...(given as { params: P; querystring: Q; body: B }),
      response: { 200: answer, ...refusals('Unauthorized', 'InsufficientPermission', ...thrown) },
    },
  }
}
