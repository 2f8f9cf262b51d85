import type { BerWriter as Writer } from 'ldapts'
import { BerWriter, Control, SearchRequest } from 'ldapts'
import { isWithin } from '../dn.ts'
import { any } from '../filters.ts'
import type { Layout } from '../layout.ts'
import { ProtocolFault } from '../wire/ber.ts'
import type { Link } from '../wire/link.ts'
import type { Graph, Told } from './graph.ts'
import type { Message, Values } from './messages.ts'
import { syncDoneOf, syncOids } from './messages.ts'

/** Asks once: for the content, or for what changed since the cookie (RFC 4533 section 2.2). */
class SyncRequestControl extends Control {
  readonly #cookie: Buffer | undefined

  constructor(cookie: Buffer | undefined) {
    super(syncOids.request, { critical: true })
    this.#cookie = cookie
  }

  override writeControl(writer: Writer): void {
    const value = new BerWriter()
    const refreshOnly = 1
    value.startSequence()
    value.writeEnumeration(refreshOnly)
    if (this.#cookie) value.writeBuffer(this.#cookie, 0x04)
    value.endSequence()
    writer.writeBuffer(value.buffer, 0x04)
  }
}

/**
 * Brings the graph up to what the directory holds when the request reaches it, and answers the cookie of that state;
 * `seen` hears which groups were changed. Throws when the server does not play along; the graph is then of no use.
 */
export async function refresh(
  link: Link<Message>,
  graph: Graph,
  layout: Layout,
  { cookie, seen = () => {} }: { cookie?: Buffer; seen?: (cn: string) => void } = {},
): Promise<Buffer> {
  const { base, group, user } = layout
  /** Whom a present phase mentioned. */
  let mentioned = new Set<string>()

  function endPhase(present: boolean) {
    if (present) graph.keep(mentioned)
    mentioned = new Set()
  }

  function drop(id: string) {
    const gone = graph.drop(id)
    if (gone) seen(gone.cn)
  }

  function apply(message: Message) {
    if (message.kind === 'ids') for (const id of message.ids) message.deleted ? drop(id) : mentioned.add(id)
    if (message.kind === 'phase') endPhase(message.present)
    if (message.kind !== 'entry') return
    if (message.state === 'deleted') return drop(message.id)
    mentioned.add(message.id)
    if (message.state === 'present') return
    const told = toldOf(message.dn, message.values)
    graph.put(message.id, told)
    if (told.members) seen(told.cn)
  }

  function toldOf(dn: string, values: Values): Told {
    const cn = first(values('cn'))
    const isGroup = isWithin(dn, group.base) && !(isWithin(dn, user.base) && isPerson(values))
    return { dn, cn, members: isGroup ? values(group.member.toLowerCase()) : undefined }
  }

  /** Where people and groups share a place: groups have members, people a uid. */
  function isPerson(values: Values): boolean {
    return first(values(group.member.toLowerCase())) === '' && first(values(user.uid.toLowerCase())) !== ''
  }

  const done = await link.request(
    'search',
    (messageId) =>
      new SearchRequest({
        messageId,
        baseDN: base,
        filter: any([group.filter, user.filter]),
        attributes: ['cn', group.member, user.uid],
        timeLimit: 0,
        controls: [new SyncRequestControl(cookie)],
      }).write(),
    apply,
  )
  if (done.code !== 0) throw new Error(`LDAP ends the synchronization: ${done.code} ${done.diagnostic}`)
  const end = syncDoneOf(done)
  const next = end?.cookie ?? cookie
  if (!end || !next) throw new ProtocolFault('a synchronization without its end')
  endPhase(end.present)
  return next
}

function first(values: Iterable<string>): string {
  for (const value of values) return value
  return ''
}
