import type { Deps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { answerList } from '#src/http/listed.ts'
import { actorOf } from '#src/user/actor.ts'
import { addEdge, addLink, removeEdge, removeLink } from './links.ts'
import { row } from './routes.ts'
import * as of from './schemas.ts'

/** What ties resources to each other. */
export async function edgeRoutes(app: App, deps: Deps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:edge')

  app.get(
    '/',
    row('All edges, those of one resource, or a page of them.', {
      querystring: of.EdgeQuery,
      answer: of.Edges,
    }),
    async ({ query }, reply) => {
      const { resourceId, q = '' } = query
      const now = await deps.store.resources.current()
      const edges =
        resourceId === undefined
          ? [...now.edges.values()]
          : [...now.above(resourceId), ...now.below(resourceId)]
      const found = edges.filter(({ relation }) => relation.includes(q.toLowerCase()))
      return answerList(reply, of.Edge, found, { asked: query, key: key(), shown: (edge) => edge })
    },
  )

  app.post(
    '/',
    row(
      'Puts a resource below another.',
      { body: of.NewEdge, answer: of.MadeEdge },
      ...(['SelfNesting', 'AlreadyExists', 'NestingLoop', 'Conflict'] as const),
    ),
    async (request) => {
      const results = await addEdge(deps, actorOf(request), request.body)
      return { results, message: 'The edge is made.' }
    },
  )

  app.delete(
    '/:id',
    row(
      'Removes an edge; an application keeps at least one.',
      { params: of.Id, answer: of.Gone },
      ...(['NotFound', 'Conflict'] as const),
    ),
    async (request) => {
      const { id } = request.params
      await removeEdge(deps, actorOf(request), id)
      return { id, message: 'The edge is removed.' }
    },
  )
}

/** What lets the members of a group reach a resource. */
export async function linkRoutes(app: App, deps: Deps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:link')

  app.get(
    '/',
    row('All group links, those of one resource or group, or a page of them.', {
      querystring: of.LinkQuery,
      answer: of.Links,
    }),
    async ({ query }, reply) => {
      const { resourceId, groupCn, q = '' } = query
      const now = await deps.store.resources.current()
      const links =
        resourceId !== undefined
          ? now.linksOn(resourceId)
          : groupCn !== undefined
            ? now.linksOf(groupCn)
            : [...now.links.values()]
      const found = links.filter(
        (link) =>
          (groupCn === undefined || link.groupCn.toLowerCase() === groupCn.toLowerCase()) &&
          link.groupCn.toLowerCase().includes(q.toLowerCase()),
      )
      return answerList(reply, of.Link, found, { asked: query, key: key(), shown: (link) => link })
    },
  )

  app.post(
    '/',
    row(
      'Lets the members of a group reach a resource.',
      { body: of.NewLink, answer: of.MadeLink },
      'AlreadyExists',
      'Conflict',
    ),
    async (request) => {
      const results = await addLink(deps, actorOf(request), request.body)
      return { results, message: `The group ${results.groupCn} is linked.` }
    },
  )

  app.delete(
    '/:id',
    row(
      'Removes a group link; who reached the resource by it alone does so no more.',
      { params: of.Id, answer: of.Gone },
      ...(['NotFound', 'Conflict'] as const),
    ),
    async (request) => {
      const { id } = request.params
      await removeLink(deps, actorOf(request), id)
      return { id, message: 'The link is removed.' }
    },
  )
}
