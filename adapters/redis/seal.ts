import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * Seals a text with AES-256-GCM under a key of its purpose (`keys.sealing`, `keys.derive`). `name` says what it is and where it
 * lies, and is authenticated with it: sealed values cannot change places.
 */
export function seal(plain: string, secret: Buffer, name: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(name))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** Throws for anything that was not sealed so. */
export function unseal(sealed: string, secret: Buffer, name: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12))
    .setAAD(Buffer.from(name))
    .setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
}
