import { request } from './http.ts'
import * as names from './names.ts'

export type Credentials = { id: string; secret: string }

/** A form to the token endpoint or its neighbours, as applications send it: the client by HTTP Basic. */
export function formOf(
  { id, secret }: Credentials,
  fields: Record<string, string>,
  { path = '/oauth/token', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): string {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return request('POST', path, { ...headers, authorization, ...type }, new URLSearchParams(fields).toString())
}

/** The token request of RFC 6749 section 4.1.3. */
export function redeemer(client: Credentials, redirect: string, headers: Record<string, string> = {}) {
  const fields = { grant_type: 'authorization_code', redirect_uri: redirect, code_verifier: names.verifier }
  return (code: string) => formOf(client, { ...fields, code }, { headers })
}

/** The authorization code in a redirect's URL. */
export function codeOf(text: string): string {
  const code = /[?&]code=([\w-]+)/.exec(text)?.[1]
  if (code === undefined) throw new Error(`No code in ${text}`)
  return code
}
