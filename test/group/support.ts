import { Client } from 'ldapts'
import type { TestService } from '#test/support/service.ts'

export type Group = { cn: string; description: string; member: string[]; owner: string[] }
export type Refused = { name: string; message: string }

/** What the tests of groups do again and again, as the first administrator unless a token is given. */
export async function groupTools(service: TestService) {
  const { request, login, newUser } = service
  const admin = await login(service.admin.uid, service.admin.password)
  let made = 0

  const ask = (method: string, path: string, token = admin, body?: unknown) =>
    request<Refused & Record<string, unknown>>(method, `/api/group/${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    })

  return {
    admin,
    ask,
    dnOf: (cn: string) => `cn=${cn},ou=groups,${service.servers.ldap.base}`,
    /** A group of a fresh name, whose only member and owner is the administrator. */
    async newGroup(cn = `group-${++made}`): Promise<string> {
      const answer = await ask('POST', '', admin, { name: cn, description: `for ${cn}` })
      if (answer.status !== 200) throw new Error(`making ${cn}: ${answer.text}`)
      return cn
    },
    /** A fresh user that owns the group. */
    async newOwner(cn: string) {
      const owner = await newUser(admin)
      const answer = await ask('PUT', `owner/${cn}/${owner.uid}`)
      if (answer.status !== 200) throw new Error(`owning ${cn}: ${answer.text}`)
      return owner
    },
    /** The group as a fresh read shows it. */
    async read(cn: string): Promise<Group> {
      const { body, text } = await request<{ results: Group }>('GET', `/api/group/${cn}`, { token: admin })
      if (!body?.results) throw new Error(`reading ${cn}: ${text}`)
      return body.results
    },
    /** What the audit log holds of an action, once all is stored. */
    async audited(action: string) {
      await service.deps.audit.settled()
      return (await service.deps.audit.read()).filter((event) => event.action === action)
    },
  }
}

/** A plain LDAP client with the service's identity: for looking past the service, and for what other programs write. */
export async function plainLdap({ servers: { ldap } }: TestService): Promise<Client> {
  const client = new Client({ url: ldap.url })
  await client.bind(ldap.bindDN, ldap.bindPassword)
  return client
}
