import type { TSchema } from 'typebox'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import type { Access } from '#src/http/access.ts'
import { admin, anyUser, ownerOrAdmin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { next, refusals, results, wantsDetail } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import { groupsAsked, pageOfGroups } from './list.ts'
import { effective, nest, nestingAround, unnest } from './nesting.ts'
import { preview } from './preview.ts'
import * as of from './schemas.ts'
import {
  addMember,
  addOwner,
  createGroup,
  deleteGroup,
  describeGroup,
  readGroup,
  removeMember,
  removeOwner,
} from './service.ts'

/** The interface's Group table. */
export async function groupRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    row(anyUser, 'All groups, or a page of them.', {
      querystring: of.GroupListQuery,
      answer: results(Type.Array(of.ListedGroup), next),
    }),
    async ({ query }, reply) => {
      const item = wantsDetail(query) ? of.Group : of.GroupSummary
      if (query.limit === undefined) return streamResults(reply, item, groupsAsked(deps, query))
      return pageOfGroups(deps, { ...query, limit: query.limit })
    },
  )

  app.post(
    '/',
    row(
      admin,
      'Make a group; the caller becomes its owner and first member.',
      { body: of.NewGroup, answer: of.Created },
      'AlreadyExists',
    ),
    async (request) => {
      const { cn } = await createGroup(deps, actorOf(request), request.body)
      return { results: { cn }, message: `The group ${cn} was made.` }
    },
  )

  app.get(
    '/:name',
    row(anyUser, 'A group.', { params: of.NameParams, answer: results(of.Group) }, 'NotFound'),
    async ({ params }) => ({ results: await readGroup(deps, params.name) }),
  )

  app.put(
    '/:group',
    row(
      ownerOrAdmin,
      'Say what a group is for; its name stays for ever.',
      { params: of.GroupParams, body: of.GroupChanges, answer: of.Changed },
      'NotFound',
    ),
    async (request) => {
      const changed = await describeGroup(deps, actorOf(request), request.params.group, request.body)
      return { results: changed, message: `The group ${changed.cn} was changed.` }
    },
  )

  app.put(
    '/owner/:group/:uid',
    row(
      ownerOrAdmin,
      'Make a user an owner.',
      { params: of.PersonParams, answer: of.Done },
      'NotFound',
      'AlreadyOwner',
    ),
    async (request) => {
      const { group, uid } = request.params
      await addOwner(deps, actorOf(request), group, uid)
      return { results: true, message: `${uid} owns ${group} now.` }
    },
  )

  app.delete(
    '/owner/:group/:uid',
    row(ownerOrAdmin, 'Remove an owner.', { params: of.PersonParams, answer: of.Done }, 'NotFound'),
    async (request) => {
      const { group, uid } = request.params
      await removeOwner(deps, actorOf(request), group, uid)
      return { results: true, message: `${uid} does not own ${group} any more.` }
    },
  )

  app.put(
    '/:group/:uid',
    row(
      ownerOrAdmin,
      'Add a member.',
      { params: of.PersonParams, answer: of.Done },
      'NotFound',
      'AlreadyMember',
    ),
    async (request) => {
      const { group, uid } = request.params
      await addMember(deps, actorOf(request), group, uid)
      return { results: true, message: `${uid} is a member of ${group} now.` }
    },
  )

  app.delete(
    '/:group/:uid',
    row(
      ownerOrAdmin,
      'Remove a member.',
      { params: of.PersonParams, answer: of.Done },
      ...(['NotFound', 'LastMember', 'LastAdmin', 'Conflict'] as const),
    ),
    async (request) => {
      const { group, uid } = request.params
      await removeMember(deps, actorOf(request), group, uid)
      return { results: true, message: `${uid} is not a member of ${group} any more.` }
    },
  )

  app.put(
    '/:group/nested/:child',
    row(
      ownerOrAdmin,
      'Nest a group: the members of the child become members, at any depth.',
      { params: of.NestedParams, answer: of.Nesting },
      ...(['SelfNesting', 'NotFound', 'AlreadyNested', 'NestingLoop', 'Conflict'] as const),
    ),
    async (request) => {
      const { group, child } = request.params
      const nested = await nest(deps, actorOf(request), group, child)
      return { results: nested, message: `${child} is nested in ${nested.cn} now.` }
    },
  )

  app.delete(
    '/:group/nested/:child',
    row(
      ownerOrAdmin,
      'Take a nested group out.',
      { params: of.NestedParams, answer: of.Nesting },
      ...(['NotFound', 'LastMember', 'LastAdmin', 'Conflict'] as const),
    ),
    async (request) => {
      const { group, child } = request.params
      const left = await unnest(deps, actorOf(request), group, child)
      return { results: left, message: `${child} is not nested in ${left.cn} any more.` }
    },
  )

  app.get(
    '/:group/effective',
    row(
      anyUser,
      'Everybody in the group, through nested groups too.',
      { params: of.GroupParams, querystring: of.ExplainQuery, answer: results(of.Effective) },
      'NotFound',
    ),
    async ({ params, query }) => ({
      results: await effective(deps, params.group, { explain: wantsDetail({ detail: query.explain }) }),
    }),
  )

  app.get(
    '/:group/nesting',
    row(
      anyUser,
      'The groups it is nested in and those nested in it, and which of them lists which.',
      { params: of.GroupParams, answer: results(of.NestingAround) },
      'NotFound',
    ),
    async ({ params }) => ({ results: await nestingAround(deps, params.group) }),
  )

  app.get(
    '/:group/preview',
    row(
      ownerOrAdmin,
      'Who would gain and who would lose which group by a change; nothing is changed.',
      { params: of.GroupParams, querystring: of.PreviewQuery, answer: results(of.Preview) },
      'NotFound',
    ),
    async ({ params, query }) => ({ results: await preview(deps, params.group, query) }),
  )

  app.delete(
    '/:group',
    row(
      ownerOrAdmin,
      'Delete a group, and take it out of those it is nested in.',
      { params: of.GroupParams, answer: of.Removed },
      ...(['NotFound', 'ProtectedGroup', 'LastMember', 'LastAdmin', 'Conflict'] as const),
    ),
    async (request) => {
      const { cn } = await deleteGroup(deps, actorOf(request), request.params.group)
      return { removed: true, results: { cn }, message: `The group ${cn} was deleted.` }
    },
  )
}

/** What a row of the table says: who may call, what for, what goes in and comes out, and its refusals. */
function row<A extends TSchema, S extends { params?: TSchema; querystring?: TSchema; body?: TSchema }>(
  access: Access,
  summary: string,
  { answer, ...input }: S & { answer: A },
  ...names: RefusalName[]
) {
  const response = { 200: answer, ...refusals('Unauthorized', 'InsufficientPermission', ...names) }
  return { config: { access }, schema: { tags: ['group'], summary, ...input, response } }
}
