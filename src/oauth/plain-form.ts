import type { FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { OurClient } from './clients.ts'
import { clientToAuthenticate } from './seams.ts'

const type = /^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i
/** What can be read in one way only. */
const plain = /^(?:[\w.~=&+:/-]|%[2-7][\dA-F])+$/i
const credentials = /^([\w.~-]{1,128}):([\w.~-]{1,256})$/
const basic = /^Basic ([A-Za-z\d+/]+={0,2})$/
/** With any of these a request is no plain one. */
const unusual = ['dpop', 'origin', 'oauth-client-attestation', 'oauth-client-attestation-pop']

/** A token request as nearly all programs send it; without a `secret` it is that of a public client. */
export type PlainForm = { fields: Map<string, string>; id: string; secret: string | undefined }

/**
 * Reads a plain token request: a form with each field once, the secret in it or in the header. Anything out of the
 * ordinary (a proof of possession, an Origin, an encoding of its own) is `undefined`: that is for the library.
 */
export function plainForm({ headers, body }: FastifyRequest): PlainForm | undefined {
  if (!Buffer.isBuffer(body) || unusual.some((name) => headers[name] !== undefined)) return undefined
  if (body.length > 4096 || !type.test(headers['content-type'] ?? '')) return undefined
  const text = body.toString('latin1')
  if (!plain.test(text)) return undefined
  const entries = [...new URLSearchParams(text)]
  const fields = new Map(entries)
  if (fields.size < entries.length || entries.some(([, value]) => !value)) return undefined
  const [id, secret] = credentialsOf(headers.authorization, fields) ?? []
  return id ? { fields, id, secret } : undefined
}

/** The client of a form, where it may use this grant and its secret is right. */
export async function plainClient(
  provider: Provider,
  { id, secret, fields }: PlainForm,
): Promise<OurClient | undefined> {
  const client = (await clientToAuthenticate(provider, id)) as OurClient | undefined
  if (!client?.grantTypeAllowed(fields.get('grant_type') ?? '')) return undefined
  const proven = client.public ? secret === undefined : !!secret && client.compareClientSecret(secret)
  return proven ? client : undefined
}

/** Client id and secret, given in one of the two ways (RFC 6749 section 2.3.1). */
function credentialsOf(
  header: string | undefined,
  fields: Map<string, string>,
): (string | undefined)[] | undefined {
  const [id, secret] = ['client_id', 'client_secret'].map((name) => fields.get(name))
  if (header === undefined) return [id, secret]
  const encoded = basic.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64')
  if (decoded.toString('base64') !== encoded) return undefined
  const [, basicId, basicSecret] = credentials.exec(decoded.toString('latin1')) ?? []
  if (!basicId || !basicSecret || secret !== undefined || (id ?? basicId) !== basicId) return undefined
  return [basicId, basicSecret]
}
