import { randomBytes } from 'node:crypto'
import type { TestService } from '#test/support/service.ts'

export type Resource = {
  id: string
  kind: string
  name: string
  slug: string
  owner: string | null
  description: string
  metadata: Record<string, unknown>
  parents: string[]
  [field: string]: unknown
}
type Refused = { name: string; message: string }
type Body = Refused & { results: Resource; client_secret?: string; message: string }

export const base = '/api/directory-admin/'
export const oauthFields = { redirect_uris: ['https://app.example/cb'] }

/** What the tests of resources do again and again, as a directory admin who is nothing else unless a token is given. */
export async function directoryTools(service: TestService) {
  const { request, login, newUser } = service
  const admin = await login(service.admin.uid, service.admin.password)
  const keeper = await newUser(admin)
  const put = await request('PUT', `/api/group/app_sso_directory_admin/${keeper.uid}`, { token: admin })
  if (put.status !== 200) throw new Error(put.text)

  const ask = <T = Body>(method: string, path: string, body?: unknown, token = keeper.token) =>
    request<T>(method, base + path, { token, ...(body === undefined ? {} : { body }) })

  async function made<T = Resource>(path: string, body: unknown): Promise<T> {
    const answer = await ask<{ results: T }>('POST', path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
    return answer.body.results
  }

  return {
    ask,
    admin,
    keeper,
    /** A resource of a fresh name. */
    newResource: (kind: string, fields: Record<string, unknown> = {}) =>
      made('resources', {
        kind,
        name: `A ${kind} ${randomBytes(4).toString('hex')}`,
        ...(kind === 'oauth' ? oauthFields : {}),
        ...fields,
      }),
    newEdge: (parentId: string, childId: string) => made<{ id: string }>('edges', { parentId, childId }),
    newLink: (resourceId: string, groupCn: string, accessLevel = 'access') =>
      made<{ id: string }>('groups', { resourceId, groupCn, accessLevel }),
    /** A group of a fresh name, with these people and groups in it beside the first administrator. */
    async newGroup({ uids = [], nested = [] }: { uids?: string[]; nested?: string[] } = {}): Promise<string> {
      const name = `group-${randomBytes(4).toString('hex')}`
      const answers = [
        await request('POST', '/api/group/', { token: admin, body: { name, description: '' } }),
        ...(await Promise.all(
          uids.map((uid) => request('PUT', `/api/group/${name}/${uid}`, { token: admin })),
        )),
      ]
      for (const child of nested)
        answers.push(await request('PUT', `/api/group/${name}/nested/${child}`, { token: admin }))
      for (const { status, text } of answers) if (status !== 200) throw new Error(text)
      return name
    },
    /** The resource as a fresh read shows it. */
    async read(id: string): Promise<Resource> {
      return (await ask('GET', `resources/${id}`)).body.results
    },
    /** What the audit log holds of a target, once all is stored. */
    async audited(target: string): Promise<string[]> {
      await service.deps.audit.settled()
      return (await service.deps.audit.read())
        .filter((event) => event.target === target)
        .map(({ action }) => action)
    },
  }
}
