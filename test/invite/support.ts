import { startAuthTests } from '#test/auth/support.ts'
import { linkIn } from '#test/support/messages.ts'

export type Invite = {
  token: string
  created_by: string
  created_on: number
  is_valid: boolean
  state: string
  mail: string | null
  groups: string
}
type Made = { token: string; link: string; mail_sent: boolean; name: string; message: string }

let people = 0

/** What the tests of invites do again and again. */
export async function startInviteTests(settings: Record<string, string> = {}) {
  const auth = await startAuthTests(settings)
  const { request, admin, messages, newUser } = auth

  const invite = (body: object, token = admin) => request<Made>('POST', '/api/user/invite', { token, body })
  const list = async (token = admin, query = '') => {
    const { body, text } = await request<{ results: Invite[]; next?: string }>(
      'GET',
      `/api/user/invite${query}`,
      { token },
    )
    if (!body?.results) throw new Error(`listing invites: ${text}`)
    return body
  }

  return {
    ...auth,
    invite,
    list,
    /** The invite as a fresh list shows it to an admin. */
    read: async (token: string) => (await list()).results.find((each) => each.token === token) as Invite,
    update: (token: string, body: object, by = admin) =>
      request<{ results: Invite; name: string; message: string }>('PUT', `/api/user/invite/${token}`, {
        token: by,
        body,
      }),
    revoke: (token: string, by = admin) =>
      request<{ results: boolean; name: string }>('DELETE', `/api/user/invite/${token}`, { token: by }),
    /** Has a link sent to an address. */
    ask: (token: string, mail: string, address?: string) =>
      auth.post(`invite/${token}`, { mail }, address ? { address } : {}),
    /** The mail token in the `nth` mail to an address. */
    mailTokenTo: async (mail: string, nth = 1) =>
      linkIn((await messages.mailTo(mail, nth)).text)
        .split('/')
        .at(-1) as string,
    accept: (
      token: string,
      mailToken: string,
      fields: Record<string, unknown> = {},
      pod: Pick<typeof auth, 'request'> = auth,
    ) =>
      pod.request<{ user: string; token: string; name: string; message: string }>(
        'POST',
        `/api/auth/invite/${token}/${mailToken}`,
        { body: person(fields) },
      ),
    person,
    /** A fresh member of app_sso_invite. */
    async newInviter() {
      const inviter = await newUser(admin)
      await request('PUT', `/api/group/app_sso_invite/${inviter.uid}`, { token: admin })
      return inviter
    },
    async newGroup(cn = `team-${++people}`): Promise<string> {
      const { status, text } = await request('POST', '/api/group/', {
        token: admin,
        body: { name: cn, description: '' },
      })
      if (status !== 200) throw new Error(`making ${cn}: ${text}`)
      return cn
    },
    own: (group: string, uid: string) => request('PUT', `/api/group/owner/${group}/${uid}`, { token: admin }),
    nest: (parent: string, child: string) =>
      request('PUT', `/api/group/${parent}/nested/${child}`, { token: admin }),
    memberOf: async (token: string) =>
      (await request<{ groups: string[] }>('GET', '/api/user/me', { token })).body.groups,
  }
}

/** An address that nobody has. */
export const freshMail = () => `guest${++people}@example.org`

/** The fields of a new account. */
function person(fields: Record<string, unknown> = {}) {
  const uid = `guest${++people}`
  return {
    uid,
    password: `password of ${uid}`,
    givenName: 'In',
    sn: 'Vited',
    mail: `${uid}@example.org`,
    ...fields,
  }
}
