import Type from 'typebox'
import type { PluginType } from '../type.ts'
import { addressFault } from './address.ts'

/** Asks an address and fails where it does not answer as it should. */
export const httpCheck: PluginType = {
  type: 'discovery/http-check',
  category: 'discovery',
  name: 'HTTP check',
  description: 'Asks an address, and fails unless it answers with the expected status and text.',
  configSchema: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048, description: 'What to ask, by GET.' }),
      status: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 599, description: 'Expected; else any 2xx.' }),
      ),
      contains: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1024, description: 'Text that the answer must hold.' }),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ['authorization'],
  validate: ({ url }) => addressFault(url),
  async run({ config, secrets, log, request }) {
    const { url, status, contains } = config as { url: string; status?: number; contains?: string }
    const headers: Record<string, string> = secrets.authorization
      ? { authorization: secrets.authorization }
      : {}
    const began = Date.now()
    const answer = await request(url, { headers })
    log(`answered ${answer.status} in ${Date.now() - began} ms`)
    const expected =
      status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status
    if (!expected) throw new Error(`It answered ${answer.status}, not ${status ?? '2xx'}.`)
    if (contains !== undefined && !answer.body.includes(contains))
      throw new Error('The answer does not hold the expected text.')
  },
}
