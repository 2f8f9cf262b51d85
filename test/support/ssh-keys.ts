import type { JsonWebKey } from 'node:crypto'
import { generateKeyPairSync } from 'node:crypto'

/** SSH public keys made for tests, in the wire format of RFC 4253 section 6.6. */
export const sshKey = {
  ed25519: (comment = 'me@laptop') => line('ssh-ed25519', [ed25519Point()], comment),
  ecdsa: (curve: 'nistp256' | 'nistp384' | 'nistp521' = 'nistp256') =>
    line(`ecdsa-sha2-${curve}`, [curve, ecPoint(curve)]),
  rsa: (bits: number) => {
    const { n, e } = jwk('rsa', { modulusLength: bits })
    return line('ssh-rsa', [mpint(e), mpint(n)])
  },
  dss: () => line('ssh-dss', [mpint('Aw'), mpint('Aw'), mpint('Aw'), mpint('Aw')]),
  securityEd25519: () => line('sk-ssh-ed25519@openssh.com', [ed25519Point(), 'ssh:']),
  securityEcdsa: () => line('sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', ecPoint('nistp256'), 'ssh:']),
  /** Any type with any parts, for keys that are wrong. */
  line,
}

export function line(type: string, parts: (string | Buffer)[], comment = ''): string {
  return `${type} ${Buffer.concat([type, ...parts].map(string)).toString('base64')} ${comment}`.trim()
}

function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function mpint(base64url: string | undefined): Buffer {
  const bytes = Buffer.from(base64url ?? '', 'base64url')
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes
}

function ed25519Point(): Buffer {
  return Buffer.from(jwk('ed25519').x ?? '', 'base64url')
}

function ecPoint(curve: 'nistp256' | 'nistp384' | 'nistp521'): Buffer {
  const { x = '', y = '' } = jwk('ec', { namedCurve: curve.replace('nistp', 'P-') })
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

function jwk(type: string, options: object = {}) {
  const generate = generateKeyPairSync as unknown as (
    type: string,
    options: object,
  ) => { publicKey: { export(of: { format: 'jwk' }): JsonWebKey } }
  return generate(type, options).publicKey.export({ format: 'jwk' })
}
