import type { Static } from 'typebox'
import Type from 'typebox'
import { mask } from '#src/http/mask.ts'
import { answer, body, message, results } from '#src/http/replies.ts'

const time = Type.Integer({ description: 'Milliseconds.' })
const name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$' })
const url = Type.String({ maxLength: 2048, description: 'https, or http.' })
const events = Type.Array(
  Type.String({ maxLength: 64, pattern: '^(\\*|[a-z][a-z0-9-]*(\\.[a-z0-9-]+)*(\\.\\*)?)$' }),
  {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'Actions of the audit log: `user.create`, all of a kind (`user.*`), or all (`*`).',
  },
)
const enabled = Type.Boolean({
  description: 'Whether it is told; of what happens meanwhile it is never told.',
})

export const Webhook = answer({
  id: Type.String(),
  name,
  url,
  events,
  enabled,
  secret: Type.Literal(mask),
  created_by: Type.String(),
  created_on: time,
  updated_on: time,
})
export type Webhook = Static<typeof Webhook>

const secretText = 'whsec_ and 24 to 64 bytes in base64'
export const NewWebhook = body({
  name,
  url,
  events,
  enabled: Type.Optional(enabled),
  secret: Type.Optional(
    Type.String({ maxLength: 128, description: `${secretText}; one is made where none is given.` }),
  ),
})
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChanges = body({
  name: Type.Optional(name),
  url: Type.Optional(url),
  events: Type.Optional(events),
  enabled: Type.Optional(enabled),
  secret: Type.Optional(
    Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
      description: `${secretText}; blank or \`${mask}\` keeps it, null makes a new one. The old one signs too for a day.`,
    }),
  ),
})
export type WebhookChanges = Static<typeof WebhookChanges>

export const WebhookId = Type.Object({ id: Type.String({ maxLength: 64 }) })
export const Listed = results(Type.Array(Webhook))
export const One = results(Webhook)
export const Written = results(Webhook, {
  secret: Type.Optional(Type.String({ description: 'The one that was made, shown this once.' })),
  message,
})
export const Removed = results(Type.Boolean(), { message })

export const Delivery = answer({
  id: Type.String({ description: 'The `webhook-id`, the same at each attempt.' }),
  at: Type.Integer({ description: 'First attempt, milliseconds.' }),
  type: Type.String(),
  status: Type.Enum(['delivered', 'retrying', 'failed']),
  attempts: Type.Integer(),
  last_attempt_at: time,
  response_status: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
})
export const Deliveries = results(Type.Array(Delivery))
export const Tested = results(Delivery, { success: Type.Boolean(), message })
