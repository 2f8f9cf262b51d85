import type { IncomingHttpHeaders } from 'node:http'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

type Ask = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body?: string | Buffer
  socket?: Socket
}

/** A request of our own making, whole at once, for a handler of node:http. */
export function requestOf({ method, url, headers, body = '', socket = new Socket() }: Ask): IncomingMessage {
  const request = new IncomingMessage(socket)
  request._read = () => {}
  Object.assign(request, {
    method,
    url,
    headers,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    httpVersion: '1.1',
  })
  if (body.length > 0) request.push(body)
  request.push(null)
  request.complete = true
  return request
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>
export type Answer = { status: number; location: string | undefined; body: string; response: ServerResponse }

/** What a handler answers to a request of our own making; nothing goes over a socket. */
export async function answerOf(handler: Handler, request: IncomingMessage): Promise<Answer> {
  const response = new ServerResponse(request)
  let body = ''
  response.end = function (this: ServerResponse, chunk?: unknown) {
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) body = String(chunk)
    return this
  } as ServerResponse['end']
  await handler(request, response)
  const location = response.getHeader('location')
  return {
    status: response.statusCode,
    location: location === undefined ? undefined : String(location),
    body,
    response,
  }
}
