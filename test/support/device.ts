import type { Answer } from './client.ts'
import { freshAddress } from './client.ts'
import type { Registered } from './oauth.ts'
import { relyingParty } from './oauth.ts'
import type { TestService } from './service.ts'
import { visitor } from './visitor.ts'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

type Fields = Record<string, unknown>
export type Begun = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** What a device does by hand. */
export function deviceOf({ request }: Pick<TestService, 'request'>) {
  const begin = ({ client_id, client_secret }: Registered, fields: Fields = {}) =>
    request<Begun & Fields>('POST', '/oauth/device/authorize', {
      body: { client_id, client_secret, ...fields },
    })
  const poll = ({ client_id, client_secret }: Registered, { device_code }: Pick<Begun, 'device_code'>) =>
    request<Fields>('POST', '/oauth/token', {
      body: { grant_type: deviceGrant, client_id, client_secret, device_code },
    })
  async function begun(client: Registered, fields: Fields = {}): Promise<Begun> {
    const { status, body, text } = await begin(client, fields)
    if (status !== 200) throw new Error(`beginning: ${text}`)
    return body
  }
  return { begin, poll, begun }
}

/** Clients that may use the grant, and people who are signed in, each in a browser and at an address of their own. */
export function peopleOf(service: TestService, adminToken: string) {
  const { register } = relyingParty(service, adminToken)
  const grant_types = ['authorization_code', 'refresh_token', deviceGrant]
  const device = (fields: Fields = {}) => register({ name: 'Television', grant_types, ...fields })
  async function person(address = freshAddress()) {
    const user = await service.newUser(adminToken)
    const { go, jar, locationOf } = visitor(service, address)
    jar.set('latchkey@/', { value: user.token, path: '/' })
    return { ...user, go, locationOf, ...personOf({ go }) }
  }
  return { device, person }
}

/** What a person does in a browser without scripts. */
export function personOf({ go }: Pick<ReturnType<typeof visitor>, 'go'>) {
  const markOf = ({ text }: Answer<unknown>) => /name="xsrf" value="(\w+)"/.exec(text)?.[1] ?? ''
  /** Opens the page and enters a code, as it is typed. */
  async function enter(user_code: string) {
    const page = await go('GET', '/oauth/device')
    return go('POST', '/oauth/device', { xsrf: markOf(page), user_code })
  }
  /** Answers the page that asks to confirm. */
  const answer = (page: Answer<unknown>, user_code: string, button: 'confirm' | 'abort' = 'confirm') =>
    go('POST', '/oauth/device', { xsrf: markOf(page), user_code, [button]: 'yes' })
  async function allow(user_code: string) {
    return answer(await enter(user_code), user_code)
  }
  return { enter, answer, allow, markOf }
}
