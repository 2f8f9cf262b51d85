import { createHash } from 'node:crypto'

/** The world of the bench: who and what there is, known to the seed, the load and the reference alike. */
export const people = 1000
export const groups = 200
export const clients = 100
/** Beside them, clients whose ID tokens are signed with ES256, each with one person signed in. */
export const es256Clients = 40
/** People who stay signed in and whose requests the load sends, each with a client of their own. */
export const signedIn = 100

export const password = 'correct horse battery staple'
export const scope = 'openid profile email groups'
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

export function uidOf(person: number): string {
  return `person${String(person).padStart(4, '0')}`
}

export function redirectOf(client: number): string {
  return `https://app${client}.example.org/callback`
}

let addresses = 0
/** The address of a client nobody has seen before, as the trusted proxy tells it: limits count per address. */
export function freshAddress(): string {
  const n = ++addresses
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}
