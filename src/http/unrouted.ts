import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#src/errors.ts'

/** A path that cannot be decoded, or with a part that is too long, finds no route: answered in our form, unrepeated. */
export function answerUnroutable(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, name, message } = new Refusal('InvalidInput', 'The path is not valid.')
  reply.code(status).headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  reply.send({ name, message })
}

/** Bytes that are no request, headers that are too long or too slow: never logged, since tokens may be among them. */
export function answerUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code !== 'ECONNRESET' && socket.writable) {
    const [status, text] = (code && unreadable[code]) || [400, 'The request is no HTTP request.']
    const { name, message } = new Refusal('InvalidInput', text)
    const body = JSON.stringify({ name, message })
    const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n\r\n${body}`)
  }
  socket.destroy()
}

const unreadable: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers or the path are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request came too slowly.'],
}
