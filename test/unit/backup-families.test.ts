import { readdir, readFile } from 'node:fs/promises'
import { test } from 'tap'
import { leftOut } from '#adapters/redis/copy.ts'

/** In a backup. A family that is new stands here, or in `leftOut` of adapters/redis/copy.ts: somebody has decided. */
const kept = [
  ...['access-request', 'audit', 'conf', 'consent', 'directory', 'notification', 'past-uid', 'plugin'],
  ...['terms', 'verification', 'webhook'],
]

test('of every family of durable records it is decided whether a backup holds it', async (t) => {
  const folder = new URL('../../adapters/redis/', import.meta.url)
  const families = new Set<string>()
  for (const file of await readdir(folder)) {
    const source = await readFile(new URL(file, folder), 'utf8')
    for (const [, , family] of source.matchAll(/(durable\(|family: )'([\w-]+)'/g))
      families.add(family as string)
  }
  t.same([...families].sort(), [...kept, ...leftOut].sort())
})
