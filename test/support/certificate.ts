import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const day = 24 * 60 * 60 * 1000

/** PEM: a self-signed certificate for these IP addresses and names, and its key. */
export type Certificate = { certificate: string; key: string }

/**
 * A self-signed certificate (RFC 5280), good for a day unless `validTo` says otherwise, made by Node alone: a test machine need not have openssl.
 * It is its own authority: who is given it as CA trusts it.
 */
export function selfSigned(
  hosts: { ip?: string; name?: string },
  { validTo = Date.now() + day } = {},
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(set(sequence(oid('550403'), der(0x0c, Buffer.from('latchkey test'))))) // commonName
  const names = Buffer.concat([
    ...(hosts.ip ? [der(0x87, Buffer.from(hosts.ip.split('.').map(Number)))] : []),
    ...(hosts.name ? [der(0x82, Buffer.from(hosts.name))] : []),
  ])
  const extensions = sequence(
    sequence(oid('551d13'), octets(sequence(der(0x01, Buffer.from([0xff]))))), // basicConstraints: CA
    sequence(oid('551d11'), octets(sequence(names))), // subjectAltName
  )
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Math.min(Date.now(), validTo) - day), time(validTo)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', unsigned, privateKey)
  const whole = sequence(unsigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return {
    certificate: pem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts))
const set = (...parts: Buffer[]) => der(0x31, Buffer.concat(parts))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const octets = (content: Buffer) => der(0x04, content)
const integer = (content: Buffer) => der(0x02, content)

/** UTCTime */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
