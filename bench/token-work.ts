/** The service's side of what goes on at the token endpoint and its neighbours, and of signing in for an application. */
import { codeOf, formOf } from './forms.ts'
import { cookiesOf, expectStatus, locationOf, request } from './http.ts'
import type { Work } from './load.ts'
import * as names from './names.ts'
import type { Person } from './service.ts'

const proxied = { 'x-forwarded-for': '192.0.2.1' }
const nth = (persons: Person[], n: number) => persons[n % persons.length] as Person

export function introspection(persons: Person[]): Work {
  const asked = persons.map(({ client, tokens }) =>
    formOf(client, { token: tokens.access_token }, { path: '/oauth/introspect', headers: proxied }),
  )
  return async (connection, n) => {
    const { body } = expectStatus(
      await connection.send(asked[n % asked.length] as string),
      200,
      'introspection',
    )
    if (!body.includes('"active":true')) throw new Error(`introspection: ${body}`)
  }
}

export function clientCredentials(persons: Person[]): Work {
  const asked = persons.map(({ client }) =>
    formOf(client, { grant_type: 'client_credentials' }, { headers: proxied }),
  )
  return async (connection, n) => {
    expectStatus(await connection.send(asked[n % asked.length] as string), 200, 'client credentials')
  }
}

/** Each person's newest refresh token for the next one; nobody is asked twice at a time. */
export function refresh(persons: Person[]): Work {
  const idle = [...persons]
  return async (connection) => {
    const person = idle.shift()
    if (!person) throw new Error('more refreshes at once than people signed in')
    const { refresh_token } = person.tokens
    const asked = formOf(person.client, { grant_type: 'refresh_token', refresh_token }, { headers: proxied })
    person.tokens = JSON.parse(expectStatus(await connection.send(asked), 200, 'refresh').body)
    idle.push(person)
  }
}

/** A browser without a session: to the request, the password, back to the request, and the code for tokens. */
export function fullFlow(persons: Person[]): Work {
  return async (connection, n) => {
    const { uid, authorize, redeem } = nth(persons, n)
    const asked = /^GET (\S+)/.exec(authorize)?.[1] as string
    const headers = {
      ...{ 'x-forwarded-for': names.freshAddress(), accept: 'text/html,application/xhtml+xml' },
      'sec-fetch-site': 'same-origin',
    }
    const jar = new Map<string, string>()
    const go = async (method: string, to: string, body = '') => {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const type: Record<string, string> = body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      const reply = expectStatus(
        await connection.send(request(method, to, { ...headers, cookie, ...type }, body)),
        303,
        `full flow, ${to}`,
      )
      for (const [name, value] of cookiesOf(reply)) jar.set(name, value)
      return locationOf(reply).replace(/^http:\/\/127\.0\.0\.1(:\d+)?/, '')
    }
    const login = await go('GET', asked)
    const onward = await go('POST', login, new URLSearchParams({ uid, password: names.password }).toString())
    expectStatus(await connection.send(redeem(codeOf(await go('GET', onward)))), 200, 'full flow, token')
  }
}
