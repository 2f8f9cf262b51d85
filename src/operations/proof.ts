import { createHmac, timingSafeEqual } from 'node:crypto'

/** A header by which `npm run doctor` is told, at /readyz, which address the service sees it under. */
export const proofHeader = 'x-latchkey-doctor'
const milliseconds = 60_000

/** The time of now, signed with what only who has the signing secret can derive. */
export function proofAt(key: Buffer, now: number): string {
  return `${now}.${createHmac('sha256', key).update(String(now)).digest('base64url')}`
}

/** Whether it was signed with this key within the last minute (or a minute ahead, by another clock). */
export function isProof(key: Buffer, proof: unknown, now: number): boolean {
  if (typeof proof !== 'string') return false
  const at = Number(/^(\d{13})\./.exec(proof)?.[1])
  if (!(Math.abs(now - at) <= milliseconds)) return false
  const [given, right] = [Buffer.from(proof), Buffer.from(proofAt(key, at))]
  return given.length === right.length && timingSafeEqual(given, right)
}
