import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { openNamedRecords } from './named-records.ts'
import type { SealedValue } from './reseal.ts'
import { sealedValues } from './reseal.ts'
import { seal, unseal } from './seal.ts'

export type WebhookRecord = {
  id: string
  name: string
  url: string
  events: string[]
  enabled: boolean
  /** Sealed, as `sealSecret` makes it; the one before it is good until `until` as well. */
  secret: string
  previous?: { secret: string; until: number }
  /** Id of the newest event when it was last enabled: it is told of those after. */
  from: string
  created_by: string
  created_on: number
  updated_on: number
}
/** One message to one webhook, whatever tries it took. */
export type Delivery = {
  /** The `webhook-id`. */
  id: string
  /** When it was tried first. */
  at: number
  type: string
  status: 'delivered' | 'retrying' | 'failed'
  attempts: number
  last_attempt_at: number
  response_status: number | null
  error: string | null
}

/** Webhooks and what was sent to each, durable; their secrets sealed so that they outlive a new signing secret. */
export function openWebhooks(connection: Connection, keys: Keys) {
  const records = openNamedRecords<WebhookRecord, Delivery>(connection, keys, {
    family: 'webhook',
    unique: ({ name }) => name,
    most: 50,
  })
  const secret = keys.sealing('webhook')
  const open = (id: string, sealed: string) => unseal(sealed, secret, `webhook ${id}`)
  async function* sealed(): AsyncGenerator<SealedValue> {
    for (const { id, secret, previous } of await records.all()) {
      const name = `webhook ${id}`
      const replacing = (text: string) => (next: string) =>
        records.update(id, ({ previous, ...current }) => ({
          ...current,
          ...(current.secret === text ? { secret: next } : {}),
          ...(previous
            ? { previous: previous.secret === text ? { ...previous, secret: next } : previous }
            : {}),
        }))
      for (const text of [secret, ...(previous ? [previous.secret] : [])])
        yield { name, sealed: text, replace: replacing(text) }
    }
  }
  return {
    ...records,
    sealed: sealedValues(keys, { what: 'secrets of webhooks', purpose: 'webhook' }, sealed),
    sealSecret: (id: string, plain: string): string => seal(plain, secret, `webhook ${id}`),
    /** What a message is signed with now, the current one first. */
    secretsOf({ id, secret, previous }: WebhookRecord): string[] {
      const old = previous && previous.until > Date.now() ? [previous.secret] : []
      return [secret, ...old].map((sealed) => open(id, sealed))
    },
  }
}
