import { setTimeout } from 'node:timers/promises'
import tap from 'tap'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'

export type Shown = {
  notification_id: string
  created_by: string
  created_on: number
  subject: string
  message: string
  filter_type: string
  filter_value: string
  active_only: boolean
  status: string
  sent_count: number
  failed_count: number
  sent_at: number
}
export type Said<R = Shown> = { name: string; message: string; results: R; next?: string }

/** The service with a real SMTP server behind it, and its first administrator signed in. Closed after the last test. */
export async function startNotificationTests(settings: Record<string, string> = {}) {
  const smtp = await startSmtp()
  const service = await startTestService({ ...smtp.settings, ...settings })
  tap.teardown(async () => {
    await service[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  })
  const { request, login, newUser, deps } = service
  const admin = await login(service.admin.uid, service.admin.password)
  const send = (body: unknown, token = admin) => request<Said>('POST', '/api/notification', { token, body })
  const read = async (id: string) =>
    (await request<Said>('GET', `/api/notification/${id}`, { token: admin })).body.results
  return {
    ...service,
    smtp,
    admin,
    adminUid: service.admin.uid,
    send,
    read,
    list: (query = '') => request<Said<Shown[]>>('GET', `/api/notification${query}`, { token: admin }),
    /** `send` with what a test does not care about. */
    tell: (fields: Record<string, unknown>) => send({ subject: 'Hello', message: '<p>Hello</p>', ...fields }),
    /** The record once everybody was served. */
    async finished(id: string): Promise<Shown> {
      for (const until = Date.now() + 60_000; Date.now() < until; await setTimeout(50)) {
        const record: Shown | undefined = await read(id)
        if (record?.sent_at !== undefined) return record
      }
      throw new Error(`notification ${id} does not end`)
    },
    /** Users made straight in the directory: many, cheaply. */
    async people(count: number, prefix: string): Promise<{ uid: string; mail: string }[]> {
      const uids = Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`)
      const made = uids.map((uid) => ({ uid, givenName: 'Given', sn: 'Family', mail: `${uid}@example.org` }))
      for (const person of made) await deps.users.create(person)
      return made
    },
    /** A group with these members. */
    async group(name: string, uids: string[]): Promise<void> {
      const asAdmin = { token: admin }
      await request('POST', '/api/group/', { ...asAdmin, body: { name, description: '' } })
      for (const uid of uids) await request('PUT', `/api/group/${name}/${uid}`, asAdmin)
      await request('DELETE', `/api/group/${name}/${service.admin.uid}`, asAdmin)
    },
    lock: (uid: string) =>
      request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } }),
    newUser: (fields?: Record<string, string>) => newUser(admin, fields),
  }
}
