import tap from 'tap'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { startReceiver } from '#test/webhook/receiver.ts'

export type Run = {
  id: string
  started_at: number
  finished_at: number | null
  status: string
  error: string | null
  log: string
}
export type Instance = Record<string, unknown> & { id: string; slug: string; last_status: string | null }

/** The service with a receiver on loopback that plugins may speak to. */
export async function startPluginTests(settings: Record<string, string> = {}) {
  const receiver = await startReceiver()
  const service = await startTestService({ app_egress__allow: '127.0.0.1', ...settings })
  tap.teardown(async () => {
    await service[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })
  const { request, login } = service
  const admin = await login(service.admin.uid, service.admin.password)
  const ask = <T = { results: Instance; name: string; message: string }>(
    method: string,
    path = '',
    body?: unknown,
    pod: typeof request = request,
  ) => pod<T>(method, `/api/plugins${path}`, { token: admin, ...(body === undefined ? {} : { body }) })
  const runs = async (id: string) => (await ask<{ results: Run[] }>('GET', `/${id}/runs`)).body.results
  return {
    ...service,
    adminToken: admin,
    receiver,
    ask,
    runs,
    /** An instance that asks its own path of the receiver. */
    async check(name: string, fields: object = {}, config: object = {}) {
      const { body, text, status } = await ask('POST', '', {
        ...{
          pluginType: 'discovery/http-check',
          name,
          config: { url: `${receiver.url}/${name}`, ...config },
        },
        ...fields,
      })
      if (status !== 200) throw new Error(text)
      return body.results
    },
    ended: (id: string, count = 1) =>
      until(`${count} runs that ended`, async () => {
        const all = (await runs(id)).filter(({ status }) => status !== 'running')
        return all.length >= count && all
      }),
  }
}
