import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Seal } from './audit-seals.ts'
import type { Sealing } from './reseal.ts'

export type Signer = ReturnType<typeof signerOf>

/** Makes the MACs of seals and knows its own, with the keys for them that `sealing` gives. */
export function signerOf(sealing: Sealing) {
  const secret = sealing('audit')
  const key = sealing('audit fingerprint').toString('base64url').slice(0, 12)
  const macOf = ({ number, first, last, count, digest, before }: Omit<Seal, 'mac' | 'key'>) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([number, first, last, count, digest, before]))
      .digest('base64url')
  return {
    sign<S extends Omit<Seal, 'mac' | 'key'>>(seal: S): S & Seal {
      return { ...seal, key, mac: macOf(seal) }
    },
    /** What is wrong with the MAC of a seal. */
    forged(seal: Seal): string | undefined {
      if (seal.key !== key) return `seal ${seal.number} was made with another key than the configured one`
      const [is, ought] = [Buffer.from(seal.mac), Buffer.from(macOf(seal))]
      return is.length === ought.length && timingSafeEqual(is, ought)
        ? undefined
        : `seal ${seal.number} is forged`
    },
  }
}
