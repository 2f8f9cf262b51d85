import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { until } from '#test/support/until.ts'

export type Event = {
  type: string
  timestamp: string
  data: { id: string; action: string; target: string; actor: string }
}
export type Received = { path: string; headers: IncomingHttpHeaders; body: string }
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
