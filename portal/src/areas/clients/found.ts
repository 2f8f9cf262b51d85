import { byName, fold } from '../../parts/names.ts'
import type { doors, kinds, orders, states } from './search.ts'
import type { Client } from './types.ts'

type OneOf<T extends readonly string[]> = T[number] | undefined
export type Search = {
  q?: string | undefined
  sort?: OneOf<typeof orders>
  kind?: OneOf<typeof kinds>
  door?: OneOf<typeof doors>
  state?: OneOf<typeof states>
}

/** Those that are asked for, in the order asked for. A word may stand in name, description, id, addresses or groups. */
export function found(clients: readonly Client[], { q = '', sort, kind, door, state }: Search): Client[] {
  const words = fold(q).split(/\s+/).filter(Boolean)
  const text = (client: Client) =>
    fold(
      [
        client.name,
        client.description,
        client.client_id,
        ...client.redirect_uris,
        ...client.allowed_groups,
      ].join('\n'),
    )
  return clients
    .filter(
      (client) =>
        (kind === undefined || client.public === (kind === 'public')) &&
        (door === undefined || client.allowed_groups.length > 0 === (door === 'groups')) &&
        (state === undefined || client.is_valid === (state === 'on')) &&
        words.every((word) => text(client).includes(word)),
    )
    .sort(
      (a, b) =>
        (sort === 'changed' && b.updated_on - a.updated_on) ||
        (sort === 'made' && b.created_on - a.created_on) ||
        byName(a.name, b.name),
    )
}
