import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { requestOf } from './in-process.ts'

/** The same request with the members of its parsed body as form fields (RFC 6749 knows strings only), `claims` as JSON. */
export function asForm({ raw, body }: FastifyRequest): IncomingMessage {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>))
    for (const each of [value].flat())
      if (each !== null && (typeof each !== 'object' || name === 'claims'))
        fields.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each))
  const form = fields.toString()
  const headers = {
    ...raw.headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  }
  delete (headers as Record<string, unknown>)['transfer-encoding']
  return requestOf({ method: 'POST', url: raw.url ?? '', headers, body: form, socket: raw.socket })
}
