/** The reference's side of the load (reference.ts): the same requests to a bare oidc-provider. */

import { codeOf, formOf, redeemer } from './forms.ts'
import type { Connection } from './http.ts'
import { cookiesOf, expectStatus, json, locationOf, openConnection, request } from './http.ts'
import type { Work } from './load.ts'
import * as names from './names.ts'

type Person = {
  userinfo: string
  authorize: string
  introspect: string
  clientCredentials: string
  redeem(code: string): string
  /** From a browser without a session to tokens; `password` is checked on the way where it is given. */
  fullFlow(
    connection: Connection,
    password?: string,
  ): Promise<{ access_token: string; cookies: Map<string, string> }>
}

/**
 * Signs people in at the reference: a few, and anew before each scenario, since the memory adapter keeps a thousand
 * records (a session goes with the tokens of others) and its index of a grant slows down with every token.
 */
export async function signPeopleInAtReference(port: number, count = 40): Promise<Person[]> {
  const connection = await openConnection(port)
  const persons: Person[] = []
  for (let number = 0; number < count; number++) persons.push(await signIn(connection, number))
  connection.close()
  return persons
}

async function signIn(connection: Connection, number: number): Promise<Person> {
  const client = { id: `client${number % names.clients}`, secret: `secret-of-${number % names.clients}` }
  const redirect = names.redirectOf(number % names.clients)
  const parameters = {
    ...{ response_type: 'code', client_id: client.id, scope: names.scope, state: 'af0ifjsldkj' },
    ...{ redirect_uri: redirect, code_challenge: names.challenge, code_challenge_method: 'S256' },
  }
  const path = `/oauth/authorize?${new URLSearchParams(parameters)}`
  const get = (path: string, cookies: Map<string, string>, more: Record<string, string> = {}) =>
    request('GET', path, {
      ...more,
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      accept: 'text/html,application/xhtml+xml',
    })
  const redeem = redeemer(client, redirect)
  const fullFlow = async (connection: Connection, password?: string) => {
    const cookies = new Map<string, string>()
    let to = `${path}&login_hint=${names.uidOf(number)}`
    while (to.startsWith('/')) {
      const given: Record<string, string> = password && to.startsWith('/interaction/') ? { password } : {}
      const reply = expectStatus(await connection.send(get(to, cookies, given)), 303, `reference, ${to}`)
      for (const [name, value] of cookiesOf(reply)) cookies.set(name, value)
      to = locationOf(reply).replace(/^http:\/\/127\.0\.0\.1(:\d+)?/, '')
    }
    const tokens = expectStatus(await connection.send(redeem(codeOf(to))), 200, 'reference, token')
    return { access_token: String(JSON.parse(tokens.body).access_token), cookies }
  }
  const { access_token, cookies } = await fullFlow(connection)
  for (const name of cookies.keys()) if (!name.startsWith('_session')) cookies.delete(name)
  const authorization = `Bearer ${access_token}`
  return {
    userinfo: request('GET', '/oauth/userinfo', { authorization }),
    authorize: get(path, cookies),
    introspect: formOf(client, { token: access_token }, { path: '/oauth/introspect' }),
    clientCredentials: formOf(client, { grant_type: 'client_credentials' }),
    ...{ redeem, fullFlow },
  }
}

/** The same work for the reference; a login's counterpart is the bare bind. */
export function referenceWork(persons: Person[]) {
  const person = (n: number) => persons[n % persons.length] as Person
  const discoveryRequest = request('GET', '/.well-known/openid-configuration')
  const discovery: Work = async (connection) => {
    expectStatus(await connection.send(discoveryRequest), 200, 'reference, discovery')
  }
  const userinfo: Work = async (connection, n) => {
    expectStatus(await connection.send(person(n).userinfo), 200, 'reference, userinfo')
  }
  const flow: Work = async (connection, n) => {
    const { authorize, redeem } = person(n)
    const reply = expectStatus(await connection.send(authorize), 303, 'reference, authorize')
    expectStatus(await connection.send(redeem(codeOf(locationOf(reply)))), 200, 'reference, token')
  }
  const login: Work = async (connection, n) => {
    const body = { uid: names.uidOf((n * 7) % names.people), password: names.password }
    expectStatus(await connection.send(json('POST', '/bind', body)), 200, 'reference, bind')
  }
  const introspection: Work = async (connection, n) => {
    const { body } = expectStatus(
      await connection.send(person(n).introspect),
      200,
      'reference, introspection',
    )
    if (!body.includes('"active":true')) throw new Error(`reference, introspection: ${body}`)
  }
  const clientCredentials: Work = async (connection, n) => {
    expectStatus(await connection.send(person(n).clientCredentials), 200, 'reference, client credentials')
  }
  const fullFlow: Work = async (connection, n) => {
    await person(n).fullFlow(connection)
  }
  const fullFlowChecked: Work = async (connection, n) => {
    await person(n).fullFlow(connection, names.password)
  }
  return {
    ...{ discovery, userinfo, flow, flowByApi: flow, login, introspection, clientCredentials },
    ...{ fullFlow, fullFlowChecked, fullFlowSameRate: fullFlow, fullFlowStored: fullFlowChecked },
  }
}
