import { randomBytes } from 'node:crypto'

type Json = Record<string, unknown>
export type Answer<T = Json> = { status: number; headers: Headers; body: T; text: string }
export type RequestOptions = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  /** Client address as a trusted proxy would tell it; a fresh one each time unless given, so limits stay apart. */
  address?: string
}

/** A running service and what one does with it over HTTP, whoever started it. */
export type Service = { url: string; admin: { uid: string; password: string } } & ReturnType<typeof clientOf>

/** An ordinary HTTP client of the service. */
export function clientOf(url: string) {
  let uids = 0

  async function request<T = Json>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<T>> {
    const { token, body, headers, address = freshAddress() } = options
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': address,
        ...(token === undefined ? {} : { 'auth-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse<T>(text), text }
  }

  /** Signs in and answers the auth token. */
  async function login(uid: string, password: string): Promise<string> {
    const { body, text } = await request<{ token?: string }>('POST', '/api/auth/login', {
      body: { uid, password },
    })
    if (!body.token) throw new Error(`login of ${uid}: ${text}`)
    return body.token
  }

  /** Makes a user through the API as the admin with `adminToken`, and signs it in. */
  async function newUser(adminToken: string, fields: Record<string, string> = {}) {
    const uid = fields.uid ?? `user${++uids}-${randomBytes(3).toString('hex')}`
    const password = fields.password ?? `password of ${uid}`
    const body = { uid, password, givenName: 'Given', sn: 'Family', mail: `${uid}@example.org`, ...fields }
    const made = await request('POST', '/api/user/', { token: adminToken, body })
    if (made.status !== 200) throw new Error(`creating ${uid}: ${made.text}`)
    return {
      uid,
      password,
      mail: body.mail,
      dn: (made.body.results as { dn: string }).dn,
      token: await login(uid, password),
    }
  }

  return { request, login, newUser }
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined as T
  }
}

let addresses = 0
/** An address no other request of this test has used. */
export function freshAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}
