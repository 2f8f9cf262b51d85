import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** The secret kept in `file` (mode 600); made of 32 random bytes at the first call. */
export async function keptSecret(file: string): Promise<string> {
  await writeFile(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  return readFile(file, 'utf8')
}
