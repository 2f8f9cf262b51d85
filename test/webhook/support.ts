import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import tap from 'tap'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

export type Event = {
  type: string
  timestamp: string
  data: { id: string; action: string; target: string; actor: string }
}
export type Received = { path: string; headers: IncomingHttpHeaders; body: string }
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

/** A server on loopback that takes webhooks; each webhook of a test has a path of its own. */
export async function startReceiver() {
  const received: Received[] = []
  /** The next answers of a path; 0 is never. Then 204. */
  const answers = new Map<string, number[]>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body })
    const status = answers.get(path)?.shift() ?? 204
    if (status) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const at = (name: string) => received.filter(({ path }) => path === `/${name}`)
  return {
    url,
    received,
    answers,
    at,
    /** What came to a path, once there are as many. */
    awaited: (name: string, count = 1) =>
      until(`${count} messages at ${name}`, async () => at(name).length >= count && at(name)),
    /** The event of a message, verified by the specification's own library. Throws where it does not hold. */
    verified({ headers, body }: Received, secret: string): Event {
      return new Webhook(secret).verify(body, headers as Record<string, string>) as Event
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The service with a receiver that it may speak to. */
export async function startWebhookTests(settings: Record<string, string> = {}) {
  const receiver = await startReceiver()
  const service = await startTestService({
    app_egress__allow: '127.0.0.1',
    app_egress__timeout: '500',
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
    deliveries: async (id: string) =>
      (await ask<{ results: Delivery[] }>('GET', `/${id}/deliveries`)).body.results,
  }
}
