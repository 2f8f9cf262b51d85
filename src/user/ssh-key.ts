import { createPublicKey } from 'node:crypto'
import { Refusal } from '#src/errors.ts'

/**
 * SSH public keys as they stand in authorized_keys: `type base64 comment` (sshd(8)), the blob in the wire format of
 * RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4 and OpenSSH's PROTOCOL.u2f. Parsed here because all
 * that a key must show is its structure: the libraries that do it bring ASN.1, ciphers and old crypto with them.
 */
export type SshKey = { type: string; blob: string; comment: string }

const longest = 8192
const leastRsaBits = 2048
const mostRsaBits = 16_384

/** One key, comment kept; `text` is its normal form. Throws InvalidKey with a sentence that never repeats the input. */
export function parseSshKey(input: string): SshKey & { text: string } {
  const line = input.trim()
  if (/PRIVATE KEY/.test(line)) throw new Refusal('InvalidKey', 'This is a private key: send the public one.')
  if (line.length > longest) throw new Refusal('InvalidKey', 'The key is too long.')
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line.replaceAll('\t', ' ')))
    throw new Refusal('InvalidKey', 'A key is one line of text.')
  const [, type = '', blob = '', comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(line) ?? []
  const read = types.get(type)
  if (!read) throw new Refusal('InvalidKey', `The key must be one of ${[...types.keys()].join(', ')}.`)
  const bytes = Buffer.from(blob, 'base64')
  if (blob === '' || bytes.toString('base64') !== blob) throw new Refusal('InvalidKey')
  const wire = wireReader(bytes)
  if (wire.string().toString('latin1') !== type) throw new Refusal('InvalidKey')
  read(wire)
  if (!wire.atEnd()) throw new Refusal('InvalidKey')
  return { type, blob, comment, text: [type, blob, comment].filter(Boolean).join(' ') }
}

/** Several keys joined by newlines, as the field `sshPublicKey` holds them. Throws InvalidKey, for a duplicate too. */
export function parseSshKeys(input: string): string {
  const keys = input
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(parseSshKey)
  if (new Set(keys.map(({ blob }) => blob)).size < keys.length)
    throw new Refusal('InvalidKey', 'The same key stands there twice.')
  return keys.map(({ text }) => text).join('\n')
}

/** True when one of the stored keys (joined by newlines) is `key`, whatever their comments. */
export function holdsKey(stored: string | undefined, key: SshKey): boolean {
  return (stored ?? '').split('\n').some((line) => line.split(' ')[1] === key.blob)
}

type Wire = ReturnType<typeof wireReader>

const types = new Map<string, (wire: Wire) => void>([
  ['ssh-ed25519', ed25519],
  ['ecdsa-sha2-nistp256', (wire) => ecdsa(wire, 'nistp256')],
  ['ecdsa-sha2-nistp384', (wire) => ecdsa(wire, 'nistp384')],
  ['ecdsa-sha2-nistp521', (wire) => ecdsa(wire, 'nistp521')],
  ['ssh-rsa', rsa],
  ['sk-ssh-ed25519@openssh.com', (wire) => securityKey(wire, ed25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', (wire) => securityKey(wire, (of) => ecdsa(of, 'nistp256'))],
])

function ed25519(wire: Wire): void {
  if (wire.string().length !== 32) throw new Refusal('InvalidKey')
}

const curves = { nistp256: ['P-256', 32], nistp384: ['P-384', 48], nistp521: ['P-521', 66] } as const

function ecdsa(wire: Wire, curve: keyof typeof curves): void {
  const [crv, size] = curves[curve]
  const name = wire.string().toString('latin1')
  const point = wire.string()
  if (name !== curve || point.length !== 1 + 2 * size || point[0] !== 4) throw new Refusal('InvalidKey')
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map((of) => of.toString('base64url'))
  try {
    createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' }) // refuses a point that is not on the curve
  } catch (cause) {
    throw new Refusal('InvalidKey', undefined, { cause })
  }
}

function rsa(wire: Wire): void {
  const exponent = wire.positive()
  const modulus = wire.positive()
  if (exponent < 3n || exponent % 2n === 0n || modulus % 2n === 0n) throw new Refusal('InvalidKey')
  const bits = modulus.toString(2).length
  if (bits < leastRsaBits) throw new Refusal('InvalidKey', `An RSA key needs ${leastRsaBits} bits or more.`)
  if (bits > mostRsaBits) throw new Refusal('InvalidKey', `An RSA key has at most ${mostRsaBits} bits.`)
}

/** A FIDO key: the key itself, then the application it is bound to, e.g. `ssh:`. */
function securityKey(wire: Wire, key: (wire: Wire) => void): void {
  key(wire)
  if (wire.string().length === 0) throw new Refusal('InvalidKey')
}

/** Reads the data types of RFC 4251 section 5; throws InvalidKey beyond the end. */
function wireReader(bytes: Buffer) {
  let at = 0
  function string(): Buffer {
    if (at + 4 > bytes.length) throw new Refusal('InvalidKey')
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) throw new Refusal('InvalidKey')
    const value = bytes.subarray(at + 4, end)
    at = end
    return value
  }
  return {
    string,
    /** An mpint above zero in its shortest form. */
    positive(): bigint {
      const value = string()
      const [first = 0x80, second = 0x80] = value
      if (first >= 0x80 || (first === 0 && second < 0x80)) throw new Refusal('InvalidKey')
      return BigInt(`0x${value.toString('hex')}`)
    },
    atEnd: () => at === bytes.length,
  }
}
