import type { FastifyRequest } from 'fastify'
import type { ProviderDeps } from '#src/deps.ts'
import { memberOf } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { pageOf } from '#src/http/listed.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import type { By } from './service.ts'
import {
  clientNamed,
  clientsLike,
  createClient,
  previewClient,
  removeClient,
  rotateSecret,
  shown,
  updateClient,
} from './service.ts'

const tags = ['client']
const config = { access: memberOf('app_sso_oauth_admin') }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** The interface's table of OAuth client management. */
export async function clientRoutes(app: App, deps: ProviderDeps): Promise<void> {
  const cursorKey = () => deps.store.keys.derive('cursor:client')

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'All clients, or a page of them; never with a secret.',
        querystring: of.ListQuery,
        response: { 200: of.ClientList, ...refusals(...denied) },
      },
    },
    async ({ query }) => {
      const found = pageOf(await clientsLike(deps, query.q), query, cursorKey())
      return { ...found, results: found.results.map((record) => shown(record, deps)) }
    },
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'Registers a client; its secret is shown this once.',
        body: of.NewClient,
        response: { 200: of.CreatedClient, ...refusals(...denied) },
      },
    },
    async (request) => {
      const { record, secret } = await createClient(deps, by(request), request.body)
      return {
        results: { client_id: record.client_id, name: record.name },
        ...(secret === undefined ? {} : { client_secret: secret }),
        message:
          secret === undefined ? 'The client is registered.' : 'Keep the secret: it is not shown again.',
      }
    },
  )

  app.get(
    '/:client_id',
    {
      config,
      schema: {
        tags,
        summary: 'One client.',
        params: of.ClientId,
        response: { 200: of.OneClient, ...refusals(...denied, 'NotFound') },
      },
    },
    async ({ params }) => ({ results: shown(await clientNamed(deps, params.client_id), deps) }),
  )

  app.put(
    '/:client_id',
    {
      config,
      schema: {
        tags,
        summary: 'Changes what is given and leaves the rest.',
        params: of.ClientId,
        querystring: of.ChangeQuery,
        body: of.ClientChanges,
        response: { 200: of.ChangedClient, ...refusals(...denied, 'NotFound', 'Conflict') },
      },
    },
    async (request) => {
      const { params, body, query } = request
      const held = { unlessAfter: query.unless_after }
      const record = await updateClient(deps, by(request), params.client_id, body, {}, held)
      return { results: shown(record, deps), message: 'The client is changed.' }
    },
  )

  app.delete(
    '/:client_id',
    {
      config,
      schema: {
        tags,
        summary: 'Removes a client; its tokens are refused from now on.',
        params: of.ClientId,
        response: { 200: of.RemovedClient, ...refusals(...denied, 'NotFound') },
      },
    },
    async (request) => {
      const { client_id } = request.params
      await removeClient(deps, by(request), client_id)
      return { client_id, message: 'The client is removed.' }
    },
  )

  app.post(
    '/:client_id/rotate',
    {
      config,
      schema: {
        tags,
        summary: 'A new secret, shown this once; the old one is invalid at once.',
        params: of.ClientId,
        response: { 200: of.RotatedSecret, ...refusals(...denied, 'NotFound', 'Conflict') },
      },
    },
    async (request) => {
      const client_secret = await rotateSecret(deps, by(request), request.params.client_id)
      return { client_secret, message: 'Keep the secret: it is not shown again.' }
    },
  )

  app.post(
    '/:client_id/preview',
    {
      config,
      schema: {
        tags,
        summary:
          'The ID token and userinfo claims that a user would get at a client, or why none; no token is made.',
        params: of.ClientId,
        body: of.PreviewOf,
        response: { 200: of.Preview, ...refusals(...denied, 'NotFound') },
      },
    },
    async (request) => ({
      results: await previewClient(deps, by(request), request.params.client_id, request.body),
    }),
  )
}

function by(request: FastifyRequest): By {
  const { caller, event } = actorOf(request)
  return { uid: caller.uid, event }
}
