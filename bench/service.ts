/** The service's side of the load: how people sign in to it, and the requests that are measured. */

import { codeOf, redeemer } from './forms.ts'
import type { Connection } from './http.ts'
import { cookiesOf, expectStatus, json, locationOf, openConnection, request } from './http.ts'
import type { Work } from './load.ts'
import * as names from './names.ts'
import { clientCredentials, fullFlow, introspection, refresh } from './token-work.ts'

type Algorithm = 'RS256' | 'ES256'
export type Client = { id: string; secret: string; redirect: string; algorithm: Algorithm }

/** A person signed in, and the prepared requests of that person with a client. */
export type Person = {
  uid: string
  userinfo: string
  authorize: string
  authorizeByApi: string
  /** The token request for a code. */
  redeem(code: string): string
  client: Client
  /** The last one given; each is good for one refresh. */
  tokens: { access_token: string; refresh_token: string }
}

/** Makes the clients through the API as the first administrator. */
export async function makeClients(port: number, adminPassword: string): Promise<Client[]> {
  const connection = await openConnection(port)
  const token = tokenOf(await login(connection, 'admin', adminPassword))
  const made: Client[] = []
  for (let client = 0; client < names.clients + names.es256Clients; client++) {
    const algorithm = client < names.clients ? 'RS256' : 'ES256'
    const redirect = names.redirectOf(client)
    const body = {
      ...{ name: `Application ${client}`, redirect_uris: [redirect] },
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      id_token_signed_response_alg: algorithm,
    }
    const reply = await connection.send(json('POST', '/api/oauth/client/', body, { 'auth-token': token }))
    const { results, client_secret } = JSON.parse(expectStatus(reply, 200, 'making a client').body)
    made.push({ id: results.client_id, secret: client_secret, redirect, algorithm })
  }
  connection.close()
  return made
}

/** Signs people in, with consent given and an access token each. */
export async function signPeopleIn(port: number, clients: Client[]): Promise<Person[]> {
  const persons: Person[] = []
  const connections = await Promise.all([0, 1].map(() => openConnection(port)))
  let next = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (next < clients.length) {
        const number = next++
        persons[number] = await signIn(connection, number, clients[number] as Client)
      }
      connection.close()
    }),
  )
  return persons
}

async function signIn(connection: Connection, number: number, client: Client): Promise<Person> {
  const uid = names.uidOf(number)
  const reply = await login(connection, uid, names.password)
  const proxied = { 'x-forwarded-for': names.freshAddress() }
  const cookie = [...cookiesOf(reply)].map((pair) => pair.join('=')).join('; ')
  const parameters = {
    ...{ response_type: 'code', client_id: client.id, scope: names.scope, state: 'af0ifjsldkj' },
    redirect_uri: client.redirect,
    ...{ code_challenge: names.challenge, code_challenge_method: 'S256' },
  }
  const authorizeByApi = json('POST', '/api/oauth/authorize', parameters, {
    ...proxied,
    'auth-token': tokenOf(reply),
  })
  const redeem = redeemer(client, parameters.redirect_uri, proxied)
  const code = codeOf((await expectOk(connection, authorizeByApi, 'consent')).body)
  const tokens = JSON.parse((await expectOk(connection, redeem(code), 'first token')).body)
  return {
    uid,
    userinfo: request('GET', '/oauth/userinfo', {
      ...proxied,
      authorization: `Bearer ${tokens.access_token}`,
    }),
    authorize: request('GET', `/oauth/authorize?${new URLSearchParams(parameters)}`, {
      ...proxied,
      ...{ cookie, accept: 'text/html,application/xhtml+xml' },
    }),
    authorizeByApi,
    redeem,
    client,
    tokens,
  }
}

/** The measured requests. Every login comes from an address of its own, so that the limits stay as they are. */
export function serviceWork(all: Person[]) {
  const [persons = [], es256 = []] = ['RS256', 'ES256'].map((algorithm) =>
    all.filter(({ client }) => client.algorithm === algorithm),
  )
  const person = (n: number) => persons[n % persons.length] as Person
  const discoveryRequest = request('GET', '/.well-known/openid-configuration')
  const discovery: Work = async (connection) => {
    await expectOk(connection, discoveryRequest, 'discovery')
  }
  const userinfo: Work = async (connection, n) => {
    await expectOk(connection, person(n).userinfo, 'userinfo')
  }
  const flow: Work = async (connection, n) => {
    const { authorize, redeem } = person(n)
    const reply = expectStatus(await connection.send(authorize), 303, 'authorize')
    await expectOk(connection, redeem(codeOf(locationOf(reply))), 'token')
  }
  const flowByApi: Work = async (connection, n) => {
    const { authorizeByApi, redeem } = person(n)
    const reply = await expectOk(connection, authorizeByApi, 'authorize by API')
    await expectOk(connection, redeem(codeOf(reply.body)), 'token')
  }
  const signIns: Work = async (connection, n) => {
    await login(connection, names.uidOf((n * 7) % names.people), names.password)
  }
  return {
    ...{ discovery, userinfo, flow, flowByApi, login: signIns },
    ...{ introspection: introspection(persons), clientCredentials: clientCredentials(persons) },
    ...{
      fullFlow: fullFlow(persons),
      fullFlowChecked: fullFlow(persons),
      fullFlowSameRate: fullFlow(persons),
      fullFlowStored: fullFlow(persons),
    },
    ...{ refresh: refresh(persons), refreshES256: refresh(es256) },
  }
}

async function login(connection: Connection, uid: string, password: string) {
  const headers = { 'x-forwarded-for': names.freshAddress() }
  const reply = await connection.send(json('POST', '/api/auth/login', { uid, password }, headers))
  return expectStatus(reply, 200, `login of ${uid}`)
}

function tokenOf({ body }: { body: string }): string {
  return JSON.parse(body).token
}

async function expectOk(connection: Connection, text: string, what: string) {
  return expectStatus(await connection.send(text), 200, what)
}
