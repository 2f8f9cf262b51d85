import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buildBundle } from '#deploy/bundle.ts'

/** What the image starts, built for this test alone. */
export async function builtService() {
  const entry = await buildBundle(randomUUID())
  return { entry, [Symbol.asyncDispose]: () => rm(dirname(entry), { recursive: true, force: true }) }
}
