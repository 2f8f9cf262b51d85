import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals, results } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import { allNotifications, pageOfNotifications } from './list.ts'
import * as of from './schemas.ts'
import { countRecipients, notificationNamed, notify, recipientsNamed, renderedMail } from './service.ts'

const tags = ['notification']
const config = { access: admin }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** The interface's Notification table. */
export async function notificationRoutes(app: App, deps: Deps) {
  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'Write a mail to a filtered set of users.',
        description:
          'Answers after delivery to at most 50 recipients; with more at once, with the status `queued`.',
        body: of.NewNotification,
        response: { 200: results(of.Notification), ...refusals(...denied) },
      },
    },
    async (request) => ({ results: await notify(deps, actorOf(request), request.body) }),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'All notifications, or a page of them.',
        querystring: of.ListQuery,
        response: { 200: of.Listed, ...refusals(...denied) },
      },
    },
    async ({ query }, reply) => {
      const { limit, ...listing } = query
      if (limit !== undefined) return pageOfNotifications(deps, { ...listing, limit })
      return streamResults(reply, of.Notification, allNotifications(deps, listing))
    },
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'One notification.',
        params: of.Id,
        response: { 200: results(of.Notification), ...refusals(...denied, 'NotFound') },
      },
    },
    async ({ params }) => ({ results: await notificationNamed(deps, params.id) }),
  )

  app.get(
    '/:id/recipients',
    {
      config,
      schema: {
        tags,
        summary: 'How many are to get it, and who could not.',
        params: of.Id,
        response: { 200: of.Recipients, ...refusals(...denied, 'NotFound') },
      },
    },
    async ({ params }) => ({ results: await recipientsNamed(deps, params.id) }),
  )

  app.post(
    '/recipients',
    {
      config,
      schema: {
        tags,
        summary: 'How many would get it now; nothing is sent.',
        body: of.Filter,
        response: { 200: of.Counted, ...refusals(...denied) },
      },
    },
    async ({ body }) => ({ results: { count: await countRecipients(deps, body) } }),
  )

  app.post(
    '/preview',
    {
      config,
      schema: {
        tags,
        summary: 'The mail as it would be sent; nothing is sent.',
        body: of.Message,
        response: { 200: of.Mail, ...refusals(...denied) },
      },
    },
    async ({ body }) => ({ results: await renderedMail(deps, body) }),
  )
}
