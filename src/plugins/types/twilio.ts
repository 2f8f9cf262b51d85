import Type from 'typebox'
import type { PluginType } from '../type.ts'
import { addressFault } from './address.ts'

const number = (description: string) => Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description })
type Config = { accountSid: string; from: string; to: string; message: string; url?: string }

/** Sends an SMS through Twilio, from an account of its own: the codes of the service go by its settings (`sms`). */
export const twilio: PluginType = {
  type: 'messaging/twilio',
  category: 'messaging',
  name: 'SMS by Twilio',
  description: 'Sends a message to a phone number through the API of Twilio.',
  configSchema: Type.Object(
    {
      accountSid: Type.String({ pattern: '^AC[0-9a-f]{32}$' }),
      from: number('Number of the account, with country code.'),
      to: number('Recipient, with country code.'),
      message: Type.String({ minLength: 1, maxLength: 1600 }),
      url: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2048,
          description: 'Of the API; else https://api.twilio.com.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ['authToken'],
  validate: ({ url = 'https://api.twilio.com' }) => addressFault(url),
  async run({ config, secrets, log, request }) {
    const { accountSid, from, to, message, url = 'https://api.twilio.com' } = config as Config
    if (!secrets.authToken) throw new Error('The secret authToken is not set.')
    const { status, body } = await request(
      new URL(`/2010-04-01/Accounts/${accountSid}/Messages.json`, url).href,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${accountSid}:${secrets.authToken}`).toString('base64')}`,
        },
        body: new URLSearchParams({ From: from, To: to, Body: message }).toString(),
      },
    )
    const said = parsed(body)
    if (status !== 201)
      throw new Error(`Twilio answered ${status}: ${said.code ?? ''} ${said.message ?? ''}`.trim())
    log(`taken as ${said.sid}, ${said.status}`)
  },
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
