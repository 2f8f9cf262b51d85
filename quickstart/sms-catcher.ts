import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { keepMessage } from './caught.ts'

export type SmsCatcher = { url: string; dir: string; [Symbol.asyncDispose](): Promise<void> }

const accounts = /^\/2010-04-01\/Accounts\/([^/]+)\.json$/
const messages = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages(\.json)?$/

/**
 * Speaks the part of Twilio's API that sends messages (POST /2010-04-01/Accounts/{sid}/Messages.json) and sends none:
 * every message becomes a file `*.json` in `dir` with `to`, `body` and `at`.
 */
export async function startSmsCatcher(dir: string): Promise<SmsCatcher> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(dir, request).catch((error: Error) =>
      fault(500, 20500, error.message),
    )
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dir,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer(dir: string, request: IncomingMessage): Promise<{ status: number; body: object }> {
  const asked = accounts.exec(request.url?.split('?')[0] ?? '')?.[1]
  if (asked && request.method === 'GET') return { status: 200, body: { sid: asked, status: 'active' } }
  const account = messages.exec(request.url?.split('?')[0] ?? '')?.[1]
  if (!account || request.method !== 'POST') return fault(404, 20404, 'The requested resource was not found')
  const form = new URLSearchParams(await text(request))
  const [to, body] = [form.get('To'), form.get('Body')]
  if (!to) return fault(400, 21604, "A 'To' phone number is required.")
  if (!body) return fault(400, 21602, 'Message body is required.')
  const at = new Date()
  await keepMessage(dir, 'json', `${JSON.stringify({ to, body, at: at.toISOString() })}\n`)
  const sid = `SM${randomBytes(16).toString('hex')}`
  const accepted = {
    ...{ sid, account_sid: account, api_version: '2010-04-01', status: 'queued', direction: 'outbound-api' },
    ...{ to, body, from: form.get('From'), messaging_service_sid: form.get('MessagingServiceSid') },
    ...{ date_created: at.toUTCString(), date_updated: at.toUTCString(), date_sent: null },
    ...{
      num_segments: '1',
      num_media: '0',
      price: null,
      price_unit: 'USD',
      error_code: null,
      error_message: null,
    },
    uri: `/2010-04-01/Accounts/${account}/Messages/${sid}.json`,
  }
  return { status: 201, body: accepted }
}

function fault(status: number, code: number, message: string) {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } }
}
