import tap from 'tap'
import { startTestService } from '#test/support/service.ts'
import { startReceiver } from './receiver.ts'

export type Hook = {
  id: string
  name: string
  url: string
  events: string[]
  enabled: boolean
  secret: string
  created_by: string
}
export type Delivery = {
  id: string
  at: number
  type: string
  status: string
  attempts: number
  response_status: number | null
  error: string | null
}
export type Said = { results: Hook; secret?: string; name: string; message: string }

/** The service with a receiver that it may speak to. */
export async function startWebhookTests(settings: Record<string, string> = {}) {
  const receiver = await startReceiver()
  const service = await startTestService({
    app_egress__allow: '127.0.0.1',
    app_egress__timeout: '10000',
    app_webhooks__backoff: '50',
    app_webhooks__attempts: '4',
    ...settings,
  })
  tap.teardown(async () => {
    await service[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })
  const { request, login } = service
  const admin = await login(service.admin.uid, service.admin.password)
  const ask = <T = Said>(method: string, path = '', body?: unknown) =>
    request<T>(method, `/api/webhooks${path}`, { token: admin, ...(body === undefined ? {} : { body }) })
  return {
    ...service,
    receiver,
    adminToken: admin,
    ask,
    /** A webhook at its own path of the receiver. */
    async hook(name: string, events: string[] = ['*'], fields: object = {}) {
      const { status, body, text } = await ask('POST', '', {
        name,
        events,
        url: `${receiver.url}/${name}`,
        ...fields,
      })
      if (status !== 200) throw new Error(text)
      return { ...body.results, secret: body.secret ?? '' }
    },
    /** How long a receiver may take to answer, until the end of the block. */
    patience(milliseconds: number) {
      const { egress } = service.deps.config
      const { timeout } = egress
      egress.timeout = milliseconds
      return {
        [Symbol.dispose]() {
          egress.timeout = timeout
        },
      }
    },
    deliveries: async (id: string) =>
      (await ask<{ results: Delivery[] }>('GET', `/${id}/deliveries`)).body.results,
  }
}
