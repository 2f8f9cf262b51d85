import Type from 'typebox'
import type { PluginType } from '../type.ts'
import { addressFault } from './address.ts'

/** Posts a message to a chat or another service that takes JSON. */
export const messageWebhook: PluginType = {
  type: 'messaging/webhook',
  category: 'messaging',
  name: 'Message by webhook',
  description: 'Posts a message as JSON, as incoming webhooks of chat services take it.',
  configSchema: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048, description: 'Where to post.' }),
      message: Type.String({ minLength: 1, maxLength: 4000 }),
      field: Type.Optional(
        Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', description: 'Of the JSON; else `text`.' }),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ['authorization'],
  validate: ({ url }) => addressFault(url),
  async run({ config, secrets, log, request }) {
    const { url, message, field = 'text' } = config as { url: string; message: string; field?: string }
    const { status } = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secrets.authorization ? { authorization: secrets.authorization } : {}),
      },
      body: JSON.stringify({ [field]: message }),
    })
    if (status < 200 || status > 299) throw new Error(`The message was answered with ${status}.`)
    log(`taken with ${status}`)
  },
}
