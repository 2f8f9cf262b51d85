import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Static, TSchema } from 'typebox'

/** About how many characters are handed to the socket at once. */
const chunkLength = 32 * 1024

/**
 * Answers `{"results":[…]}` item by item, never holding the list in memory (contract section 1, paging). `item` is the
 * schema of one item: what it does not name is left out, as in every answer. A failure before the first item is
 * answered as a refusal; a later one breaks the connection off, so that nobody takes a part for the whole.
 */
export function streamResults<T extends TSchema>(
  reply: FastifyReply,
  item: T,
  items: AsyncIterable<Static<T>>,
): Promise<FastifyReply> {
  const serialize = reply.compileSerializationSchema(item as unknown as Record<string, unknown>)
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return streamText(reply, headers, items, {
    before: '{"results":[',
    between: ',',
    after: ']}',
    text: serialize,
  })
}

type Parts<T> = { before: string; between?: string; after?: string; text: (item: T) => string }

/** Answers `before`, the `text` of each item with `between` among them, and `after`, as they come. */
export async function streamText<T>(
  reply: FastifyReply,
  headers: Record<string, string>,
  items: AsyncIterable<T>,
  { before, between = '', after = '', text }: Parts<T>,
): Promise<FastifyReply> {
  const source = items[Symbol.asyncIterator]()
  let upcoming = await source.next()
  let written = before

  /** The next chunk; `undefined` at the end. */
  async function chunk(): Promise<string | undefined> {
    while (!upcoming.done && written.length < chunkLength) {
      written += text(upcoming.value)
      upcoming = await source.next()
      if (!upcoming.done) written += between
      else written += after
    }
    const ready = written
    written = ''
    return ready || undefined
  }
  if (upcoming.done) written += after

  // Not Readable.from: a generator that was never started would not let go of its source when the client leaves.
  return reply.headers(headers).send(
    new Readable({
      encoding: 'utf8',
      read() {
        chunk().then(
          (text) => this.push(text ?? null),
          (error) => this.destroy(error),
        )
      },
      destroy(error, done) {
        const end = () => done(error)
        Promise.resolve(source.return?.()).then(end, end)
      },
    }),
  )
}
