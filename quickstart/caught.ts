import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

let last = 0

/**
 * Writes a caught message into `dir`; names sort by the time of arrival. It appears whole: whoever watches the folder
 * never reads half of it.
 */
export async function keepMessage(
  dir: string,
  extension: 'eml' | 'json',
  content: string | Buffer,
): Promise<void> {
  last = Math.max(Date.now(), last + 1)
  const name = `${new Date(last).toISOString().replaceAll(':', '-')}-${randomBytes(3).toString('hex')}`
  const part = join(dir, `.${name}.part`)
  await writeFile(part, content, { mode: 0o600 })
  await rename(part, join(dir, `${name}.${extension}`))
}
