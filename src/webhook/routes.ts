import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import { testWebhook } from './delivery.ts'
import * as of from './schemas.ts'
import { createWebhook, removeWebhook, shown, updateWebhook, webhookNamed, webhooksOf } from './service.ts'

const tags = ['webhook']
const config = { access: admin }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** Webhooks (contract section 12). */
export async function webhookRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'All webhooks, by name; never with a secret.',
        response: { 200: of.Listed, ...refusals(...denied) },
      },
    },
    async () => ({ results: await webhooksOf(deps) }),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'A webhook, told of events from now on; a secret that is made for it is shown this once.',
        body: of.NewWebhook,
        response: { 200: of.Written, ...refusals(...denied, 'AlreadyExists', 'Conflict') },
      },
    },
    async (request) => {
      const { record, ...made } = await createWebhook(deps, actorOf(request), request.body)
      return { results: shown(record), ...made, message: 'The webhook is made.' }
    },
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'One webhook.',
        params: of.WebhookId,
        response: { 200: of.One, ...refusals(...denied, 'NotFound') },
      },
    },
    async ({ params }) => ({ results: shown(await webhookNamed(deps, params.id)) }),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Changes what is given and leaves the rest.',
        params: of.WebhookId,
        body: of.WebhookChanges,
        response: { 200: of.Written, ...refusals(...denied, 'NotFound', 'AlreadyExists', 'Conflict') },
      },
    },
    async (request) => {
      const { record, ...made } = await updateWebhook(deps, actorOf(request), request.params.id, request.body)
      return { results: shown(record), ...made, message: 'The webhook is changed.' }
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Removes a webhook and its log.',
        params: of.WebhookId,
        response: { 200: of.Removed, ...refusals(...denied, 'NotFound', 'Conflict') },
      },
    },
    async (request) => {
      await removeWebhook(deps, actorOf(request), request.params.id)
      return { results: true, message: 'The webhook is removed.' }
    },
  )

  app.get(
    '/:id/deliveries',
    {
      config,
      schema: {
        tags,
        summary: 'The last 100 messages to it, the newest first.',
        params: of.WebhookId,
        response: { 200: of.Deliveries, ...refusals(...denied, 'NotFound') },
      },
    },
    async ({ params }) => {
      const { id } = await webhookNamed(deps, params.id)
      return { results: await deps.store.webhooks.history(id) }
    },
  )

  app.post(
    '/:id/test',
    {
      config,
      schema: {
        tags,
        summary: 'Sends it a message `webhook.ping` now, and answers what came of it.',
        params: of.WebhookId,
        response: { 200: of.Tested, ...refusals(...denied, 'NotFound') },
      },
    },
    async (request) => {
      const results = await testWebhook(deps, actorOf(request), request.params.id)
      const success = results.status === 'delivered'
      return { results, success, message: results.error ?? 'The webhook has taken the message.' }
    },
  )
}
