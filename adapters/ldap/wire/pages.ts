import { setTimeout as pause } from 'node:timers/promises'
import type { Control, Entry } from 'ldapts'
import { PagedResultsControl, SearchRequest, SearchResponse, StatusCodeParser } from 'ldapts'
import type { ListOptions } from '../listing.ts'
import { LinkFailure } from '../results.ts'
import { serverSeconds } from '../socket.ts'
import type { Element } from './ber.ts'
import { elementAt, ProtocolFault, parts, text } from './ber.ts'
import { controlValue } from './controls.ts'
import type { Done, Link } from './link.ts'

/** A connection for listings: what is no entry is undefined. */
export type Pages = Link<Entry | undefined>

const entryTag = 0x64
const busyCode = 51
const busyTries = 50
const busyMilliseconds = 5

/**
 * An entry as ldapts shows one, values as text: a single one as a string, several as a list, none as an empty list. What
 * was asked for and is not there is absent. Throws ProtocolFault.
 */
export function readEntry(bytes: Buffer, operation: Element): Entry | undefined {
  if (operation.tag !== entryTag) return undefined
  const name = elementAt(bytes, operation.start, operation.end)
  const attributes = elementAt(bytes, name.end, operation.end)
  const entry: Entry = { dn: text(bytes, name) }
  for (let at = attributes.start; at < attributes.end; ) {
    const attribute = elementAt(bytes, at, attributes.end)
    const type = elementAt(bytes, attribute.start, attribute.end)
    const values = elementAt(bytes, type.end, attribute.end)
    entry[text(bytes, type)] = valuesIn(bytes, values)
    at = attribute.end
  }
  return entry
}

function valuesIn(bytes: Buffer, { start, end }: Element): string | string[] {
  if (start === end) return []
  const first = elementAt(bytes, start, end)
  if (first.end === end) return text(bytes, first)
  const values = [text(bytes, first)]
  for (let at = first.end; at < end; ) {
    const value = elementAt(bytes, at, end)
    values.push(text(bytes, value))
    at = value.end
  }
  return values
}

/** Pages of a search (RFC 2696). One at a time on a connection: slapd forgets the cookie of the first. */
export async function* pagesOf<E extends object>(
  link: Link<E | undefined>,
  base: string,
  { paged, ...options }: ListOptions,
  controls: Control[] = [],
): AsyncGenerator<E[]> {
  let cookie: Buffer | undefined
  let busy = 0
  do {
    const entries: E[] = []
    const size = new PagedResultsControl({ value: { size: paged.pageSize, ...(cookie ? { cookie } : {}) } })
    const write = (messageId: number) =>
      new SearchRequest({
        ...options,
        messageId,
        baseDN: base,
        timeLimit: serverSeconds(link.timeout),
        controls: [...controls, size],
      } as ConstructorParameters<typeof SearchRequest>[0]).write()
    const done = await link
      .request('search', write, (entry) => entry && entries.push(entry))
      .catch((cause) => {
        throw cause instanceof ProtocolFault ? new LinkFailure('closed', { cause }) : cause
      })
    // Asked for so soon that slapd has not quite put down the page before: sssvlv says busy then.
    if (done.code === busyCode && cookie && busy++ < busyTries) {
      await pause(busyMilliseconds)
      continue
    }
    busy = 0
    if (done.code !== 0)
      throw StatusCodeParser.parse(
        new SearchResponse({ messageId: 0, status: done.code, errorMessage: done.diagnostic }),
      )
    cookie = cookieOf(done)
    yield entries
  } while (cookie)
}

function cookieOf({ bytes, controls }: Done): Buffer | undefined {
  const [, cookie] = parts(bytes, controlValue(bytes, controls, PagedResultsControl.type))
  if (!cookie || cookie.start === cookie.end) return undefined
  return Buffer.from(bytes.subarray(cookie.start, cookie.end))
}
