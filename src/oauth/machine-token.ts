import type { FastifyRequest } from 'fastify'
import type { ProviderDeps } from '#src/deps.ts'
import type { OurClient } from './clients.ts'
import { machineScopes } from './machine.ts'
import { clientToAuthenticate } from './seams.ts'

const form = /^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i
/** What can be read in one way only. */
const plain = /^(?:[\w.~=&+:-]|%20|%3A)+$/i
const credentials = /^([\w.~-]{1,128}):([\w.~-]{1,256})$/
const basic = /^Basic ([A-Za-z\d+/]+={0,2})$/
const known = new Set(['grant_type', 'scope', 'client_id', 'client_secret'])
const spaced = /^\S+( \S+)*$/
/** With any of these a request is no plain one. */
const unusual = ['dpop', 'origin', 'oauth-client-attestation', 'oauth-client-attestation-pop']

/**
 * The answer to a plain request for a client's own token, at a fraction of what it costs through the library: a form, the
 * secret in it or in the header, nothing else. It only ever says yes: whatever is out of the ordinary (a proof of
 * possession, an Origin, a wrong secret, no scope left) is `undefined`, and goes through the library, which knows how to
 * refuse.
 */
export async function plainMachineToken(
  { headers, body }: FastifyRequest,
  { provider: { current: provider } }: Pick<ProviderDeps, 'provider'>,
): Promise<Record<string, unknown> | undefined> {
  if (!Buffer.isBuffer(body) || unusual.some((name) => headers[name] !== undefined)) return undefined
  if (body.length > 4096 || !form.test(headers['content-type'] ?? '')) return undefined
  const text = body.toString('latin1')
  if (!text.includes('grant_type=client_credentials') || !plain.test(text)) return undefined
  const entries = [...new URLSearchParams(text)]
  const fields = new Map(entries)
  if (fields.size < entries.length || entries.some(([name, value]) => !known.has(name) || !value))
    return undefined
  const [id, secret] = credentialsOf(headers.authorization, fields) ?? []
  if (!id || !secret || fields.get('grant_type') !== 'client_credentials') return undefined

  const client = (await clientToAuthenticate(provider, id)) as OurClient | undefined
  if (!client || client.public || !client.compareClientSecret(secret)) return undefined
  if (!client.grantTypeAllowed('client_credentials')) return undefined
  const asked = fields.get('scope')
  const scope = machineScopes(client, asked).join(' ') || undefined
  if (asked && !(scope && spaced.test(asked))) return undefined

  const token = new provider.ClientCredentials({ client, ...(scope ? { scope } : {}) })
  const access_token = await token.save()
  return {
    access_token,
    expires_in: token.expiration,
    token_type: token.tokenType,
    ...(scope ? { scope } : {}),
  }
}

/** Client id and secret, given in one of the two ways (RFC 6749 section 2.3.1). */
function credentialsOf(header: string | undefined, fields: Map<string, string>): string[] | undefined {
  const [id, secret] = ['client_id', 'client_secret'].map((name) => fields.get(name))
  const encoded = basic.exec(header ?? '')?.[1]
  if (encoded === undefined) return header === undefined && id && secret ? [id, secret] : undefined
  const decoded = Buffer.from(encoded, 'base64')
  if (decoded.toString('base64') !== encoded) return undefined
  const [, basicId, basicSecret] = credentials.exec(decoded.toString('latin1')) ?? []
  if (!basicId || !basicSecret || secret !== undefined || (id ?? basicId) !== basicId) return undefined
  return [basicId, basicSecret]
}
