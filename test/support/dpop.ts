import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

type Claims = Record<string, unknown>
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A key of a client, and the proofs it makes with it (RFC 9449 section 4.2), by hand. */
export function prover() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  const jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')

  /** `claims` are added to the proof, or replace what it says. */
  function proof(htm: string, htu: string, claims: Claims = {}): string {
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { crv, kty, x, y } }
    const payload = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1000), ...claims }
    const content = `${encoded(header)}.${encoded(payload)}`
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${content}.${signature.toString('base64url')}`
  }
  const ath = (token: string) => createHash('sha256').update(token).digest('base64url')
  return { jkt, proof, ath }
}
