import { randomBytes } from 'node:crypto'
import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { defineScript } from './script.ts'
import { stretch } from './stretch.ts'

/** An invite as it is kept; it is valid while its state is and its time has not come. */
export type InviteRecord = {
  /** Fit for the audit log, unlike the token. */
  id: string
  token: string
  created_by: string
  created_on: number
  expires_at: number
  mail: string | null
  groups: string[]
  /** Who assigned the groups: by their authority people join them. */
  groups_by: string
  state: 'valid' | 'used' | 'revoked'
  used_by?: string
  used_on?: number
  /** While its account is being made; of a process that died meanwhile it stays so. */
  unfinished?: boolean
  /** Names whose acceptance broke off: one of them may be there. */
  tried?: string[]
}
type NewInvite = Pick<InviteRecord, 'created_by' | 'mail' | 'groups'> & { lifetimeSeconds: number }
type Listing = {
  created_by?: string | undefined
  limit?: number
  after?: string | undefined
  q?: string | undefined
  /** The newest first (`desc`) unless it says otherwise. */
  order?: 'asc' | 'desc' | undefined
  /** Which of them; all without. */
  only?: (invite: InviteRecord) => boolean
}

const pageSize = 200

/**
 * Invites, durable. A record and its places in the indexes (of all, and of its creator's) are made in one script. A change
 * is written only over what it was made from, else made again: of parallel acceptances one wins.
 */
export function openInvites(connection: Connection, keys: Keys) {
  const { client } = connection
  const key = (token: string) => keys.durable('invite', 'record', token)
  const mailKey = (mailToken: string) => keys.durable('invite', 'mail', hashed(mailToken))
  const all = keys.durable('invite', 'index')
  const indexOf = (uid: string) => keys.durable('invite', 'by', uid.toLowerCase())
  const placeOf = ({ created_on, token }: InviteRecord) => `${String(created_on).padStart(15, '0')}:${token}`

  const insert = defineScript(connection, 'inviteInsert', {
    keys: 3,
    durable: true,
    // KEYS record, index, index of the creator; ARGV record, place
    lua: `redis.call('SET', KEYS[1], ARGV[1])
      redis.call('ZADD', KEYS[2], 0, ARGV[2])
      redis.call('ZADD', KEYS[3], 0, ARGV[2])
      return 1`,
  })
  const swap = defineScript(connection, 'inviteSwap', {
    keys: 1,
    durable: true,
    // KEYS record; ARGV record before, record after
    lua: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
      redis.call('SET', KEYS[1], ARGV[2])
      return 1`,
  })

  /** Those beyond a place. */
  async function page(
    index: string,
    after: string,
    order: Listing['order'],
  ): Promise<[place: string, invite: InviteRecord][]> {
    const places = await stretch(client, index, { after, order, count: pageSize })
    if (places.length === 0) return []
    const raw = await client.mget(places.map((at) => key(at.slice(at.indexOf(':') + 1))))
    return places
      .flatMap((at, n) => (raw[n] ? [[at, JSON.parse(raw[n]) as InviteRecord] as const] : []))
      .map(([at, invite]) => [at, invite])
  }

  async function* places({
    created_by,
    after = '',
    q = '',
    order,
    only = () => true,
  }: Listing): AsyncGenerator<[string, InviteRecord]> {
    const index = created_by === undefined ? all : indexOf(created_by)
    const wanted = q.toLowerCase()
    for (let from = after; ; ) {
      const found = await page(index, from, order)
      for (const [at, invite] of found) {
        from = at
        if (matches(invite, wanted) && only(invite)) yield [at, invite]
      }
      if (found.length === 0) return
    }
  }

  return {
    async create({ lifetimeSeconds, ...given }: NewInvite): Promise<InviteRecord> {
      const created_on = Date.now()
      const invite: InviteRecord = {
        ...given,
        id: randomBytes(12).toString('base64url'),
        token: randomBytes(32).toString('base64url'),
        created_on,
        expires_at: created_on + lifetimeSeconds * 1000,
        groups_by: given.created_by,
        state: 'valid',
      }
      await insert(
        key(invite.token),
        all,
        indexOf(invite.created_by),
        JSON.stringify(invite),
        placeOf(invite),
      )
      return invite
    },

    async find(token: string): Promise<InviteRecord | undefined> {
      const raw = await client.get(key(token))
      return raw === null ? undefined : JSON.parse(raw)
    },

    /**
     * Writes what a function makes of the record as it is; the function runs again when somebody else was faster, and
     * answers undefined to leave it. Undefined then, and when there is no such invite.
     */
    async change(
      token: string,
      change: (invite: InviteRecord) => InviteRecord | undefined,
    ): Promise<InviteRecord | undefined> {
      for (let attempt = 0; attempt < 100; attempt++) {
        const raw = await client.get(key(token))
        const next = raw === null ? undefined : change(JSON.parse(raw))
        if (raw === null || next === undefined) return undefined
        if ((await swap(key(token), raw, JSON.stringify(next))) === 1) return next
      }
      throw new Refusal('Conflict')
    },

    /** A token that shows that whoever brings it reads the mail of `address`; shown only here, kept as a hash. */
    async issueMailToken({ token, expires_at }: InviteRecord, address: string): Promise<string> {
      const mailToken = randomBytes(32).toString('base64url')
      await client.set(mailKey(mailToken), JSON.stringify({ token, address }), 'PXAT', expires_at)
      return mailToken
    },

    /** The address that a mail token of this very invite was sent to. */
    async addressOf(token: string, mailToken: string): Promise<string | undefined> {
      const raw = await client.get(mailKey(mailToken))
      const sent = raw === null ? undefined : (JSON.parse(raw) as { token: string; address: string })
      return sent?.token === token ? sent.address : undefined
    },

    /** Of everybody or of one creator; `q` is looked for in mail, creator and groups. */
    async *each(listing: Omit<Listing, 'limit' | 'after'>): AsyncGenerator<InviteRecord> {
      for await (const [, invite] of places(listing)) yield invite
    },

    /** The same in pages; `next` is the `after` of the page that follows. */
    async page({ limit, ...listing }: Listing & { limit: number }) {
      const entries: InviteRecord[] = []
      for await (const [, invite] of places(listing)) {
        if (entries.length === limit) return { entries, next: placeOf(entries.at(-1) as InviteRecord) }
        entries.push(invite)
      }
      return { entries }
    },
  }
}

function matches({ mail, created_by, groups }: InviteRecord, wanted: string): boolean {
  return wanted === '' || [mail ?? '', created_by, ...groups].join('\n').toLowerCase().includes(wanted)
}
