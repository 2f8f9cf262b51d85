import type { Entry } from 'ldapts'
import { Client } from 'ldapts'
import tap from 'tap'
import { startTestService } from '#test/support/service.ts'

/** A user as an answer shows one. */
export type Shown = Record<string, unknown> & { uid: string; mail: string }
export type Said = { name: string; message: string; results: Shown & Shown[]; next?: string }

/** The service, its first administrator signed in, and what every test of users does. Closed after the file's last test. */
export async function startUserTests(settings: Record<string, string> = {}) {
  const service = await startTestService(settings)
  tap.teardown(() => service[Symbol.asyncDispose]())
  const { request, login } = service
  const admin = await login(service.admin.uid, service.admin.password)

  const ask = (method: string, path: string, token: string, body?: unknown) =>
    request<Said>(method, `/api/user/${path}`, { token, ...(body === undefined ? {} : { body }) })

  return {
    ...service,
    adminUid: service.admin.uid,
    adminPassword: service.admin.password,
    admin,
    ask,
    /** A fresh read, as the administrator. */
    async read(uid: string): Promise<Shown> {
      const { body, text } = await ask('GET', uid, admin)
      if (!body.results) throw new Error(`reading ${uid}: ${text}`)
      return body.results
    },
    /** The entry as any LDAP client sees it, past the service. */
    async entry(uid: string, attributes = ['*', '+']): Promise<Entry | undefined> {
      const { ldap } = service.servers
      const client = new Client({ url: ldap.url })
      await client.bind(ldap.bindDN, ldap.bindPassword)
      const { searchEntries } = await client.search(ldap.base, { filter: `(uid=${uid})`, attributes })
      await client.unbind()
      return searchEntries[0]
    },
    /** True when slapd itself takes the password. */
    async binds(uid: string, password: string): Promise<boolean> {
      const { ldap } = service.servers
      const client = new Client({ url: ldap.url })
      const bound = await client.bind(`uid=${uid},ou=people,${ldap.base}`, password).then(
        () => true,
        () => false,
      )
      await client.unbind()
      return bound
    },
    /** Puts somebody into a group. */
    async join(group: string, uid: string): Promise<void> {
      const { status, text } = await request('PUT', `/api/group/${group}/${uid}`, { token: admin })
      if (status !== 200) throw new Error(`adding ${uid} to ${group}: ${text}`)
    },
    /** What the audit log holds of an action, once all is stored. */
    async audited(action: string) {
      await service.deps.audit.settled()
      return (await service.deps.audit.read()).filter((event) => event.action === action)
    },
  }
}
