import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { requestOf } from './in-process.ts'

export const formType = 'application/x-www-form-urlencoded'

/**
 * The request as the library reads it. A form (`body` a Buffer) as it came; the members of a parsed body as form
 * fields (RFC 6749 knows strings only), `claims` as JSON; what nobody has read untouched.
 */
export function asForm({ raw, body, headers: given }: FastifyRequest): IncomingMessage {
  const request = { method: 'POST', url: raw.url ?? '', socket: raw.socket }
  if (Buffer.isBuffer(body)) return requestOf({ ...request, headers: given, body })
  if (body === undefined) return raw
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>))
    for (const each of [value].flat())
      if (each !== null && (typeof each !== 'object' || name === 'claims'))
        fields.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each))
  const form = fields.toString()
  const headers = {
    ...given,
    'content-type': formType,
    'content-length': String(Buffer.byteLength(form)),
  }
  delete (headers as Record<string, unknown>)['transfer-encoding']
  return requestOf({ ...request, headers, body: form })
}
