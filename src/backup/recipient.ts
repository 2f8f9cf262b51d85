import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Identity, Recipient } from 'age-encryption'
import { Stanza } from 'age-encryption'

/**
 * A passphrase as age knows it (age-encryption.org/v1, "The scrypt recipient type"), stretched by Node: the library's own
 * takes ten seconds where this takes one.
 */
const workFactor = 18
const name = 'scrypt'
const label = 'age-encryption.org/v1/scrypt'
const cipher = 'chacha20-poly1305'
const tag = { authTagLength: 16 }
const nonce = Buffer.alloc(12)

export function lockedBy(passphrase: string, factor = workFactor): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16)
      const locking = createCipheriv(cipher, await stretched(passphrase, salt, factor), nonce, tag)
      const body = Buffer.concat([locking.update(fileKey), locking.final(), locking.getAuthTag()])
      const written = salt.toString('base64').replace(/=+$/, '')
      return [new Stanza([name, written, String(factor)], new Uint8Array(body))]
    },
  }
}

/** Opens what `lockedBy` locked, or another program that knows age, at the same cost or less. */
export function openedBy(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas
      const [kind, salt = '', factor = ''] = stanza?.args ?? []
      // A passphrase stands alone, says the format.
      if (!stanza || stanzas.length > 1 || kind !== name) return null
      if (!/^[1-9]\d?$/.test(factor) || Number(factor) > workFactor) return null
      const body = Buffer.from(stanza.body)
      const opening = createDecipheriv(
        cipher,
        await stretched(passphrase, Buffer.from(salt, 'base64'), Number(factor)),
        nonce,
        tag,
      )
      opening.setAuthTag(body.subarray(-16))
      try {
        return new Uint8Array(Buffer.concat([opening.update(body.subarray(0, -16)), opening.final()]))
      } catch {
        return null
      }
    },
  }
}

function stretched(passphrase: string, salt: Buffer, factor: number): Promise<Buffer> {
  const cost = { N: 2 ** factor, r: 8, p: 1, maxmem: 2 ** 29 }
  return stretch(passphrase, Buffer.concat([Buffer.from(label), salt]), 32, cost)
}
const stretch = promisify<string, Buffer, number, object, Buffer>(scrypt)
