import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** Memory in KiB. */
export type HashCost = { memory: number; passes: number }

/**
 * `userPassword` as argon2id (RFC 9106) in the form slapd's argon2 module verifies. Made here because that module, built
 * on libargon2 as in Debian, verifies argon2id but writes argon2i.
 */
export async function argon2id(password: string, { memory, passes }: HashCost): Promise<string> {
  const nonce = randomBytes(16)
  const hash = await derive('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory,
    passes,
  })
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `{ARGON2}$argon2id$v=19$m=${memory},t=${passes},p=1$${text(nonce)}$${text(hash)}`
}
