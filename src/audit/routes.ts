import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { admin, anyUser } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { csvHeaders } from '#src/http/csv.ts'
import { refusals } from '#src/http/replies.ts'
import { streamResults, streamText } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import * as audit from './schemas.ts'
import {
  allActivity,
  allEvents,
  csvHeader,
  csvLine,
  pageOfActivity,
  pageOfEvents,
  verifyPart,
} from './service.ts'

const tags = ['audit']

/** What happened, for administrators (contract section 12). */
export async function auditRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Events, all or a page of them.',
        description: 'A page of a rare kind may hold fewer than `limit`, or none, and still have a `next`.',
        querystring: audit.ListQuery,
        response: { 200: audit.Listed, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    async ({ query: { limit, cursor, ...filter } }, reply) => {
      if (limit === undefined) return streamResults(reply, audit.AuditEvent, allEvents(deps, filter))
      return pageOfEvents(deps, filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    },
  )

  app.get(
    '/verification',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Checks the seals over the log, the oldest first, `limit` at a time (1000 at most).',
        description:
          'Whoever changed, removed or added an event afterwards is found here, as by `npm run audit:verify`: the first `fault` ends the walk, else `next` says where it goes on. Beginning with the oldest event that retention left.',
        querystring: audit.PartQuery,
        response: { 200: audit.Verified, ...refusals('Unauthorized', 'InsufficientPermission', 'Conflict') },
      },
    },
    ({ query }) => verifyPart(deps, query),
  )

  app.get(
    '/export',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Events as CSV.',
        querystring: audit.Filter,
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.Unsafe<unknown>({ type: 'string' }) } } },
          ...refusals('Unauthorized', 'InsufficientPermission'),
        },
      },
    },
    ({ query }, reply) =>
      streamText(reply, csvHeaders('audit.csv'), allEvents(deps, query), {
        before: csvHeader,
        text: csvLine,
      }),
  )
}

/** What happened to the caller's own account. */
export async function activityRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config: { access: anyUser },
      schema: {
        tags,
        summary: 'What I did and what was done to my account, the newest first.',
        querystring: audit.ActivityQuery,
        response: { 200: audit.Listed, ...refusals('Unauthorized') },
      },
    },
    async (request, reply) => {
      const { limit, ...page } = request.query
      const by = actorOf(request)
      if (limit === undefined) return streamResults(reply, audit.AuditEvent, allActivity(deps, by))
      return pageOfActivity(deps, by, { ...page, limit })
    },
  )
}
