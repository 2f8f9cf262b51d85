import type { Client } from './connection.ts'

type Stretch = { after?: string | undefined; order?: 'asc' | 'desc' | undefined; count: number }

/** At most `count` places of an index that goes by its text (`<created_on>:<id>`), beyond one; the last first unless `asc`. */
export function stretch(
  client: Client,
  index: string,
  { after, order = 'desc', count }: Stretch,
): Promise<string[]> {
  const from = after ? `(${after}` : undefined
  return order === 'asc'
    ? client.zrange(index, from ?? '-', '+', 'BYLEX', 'LIMIT', 0, count)
    : client.zrange(index, from ?? '+', '-', 'BYLEX', 'REV', 'LIMIT', 0, count)
}
