import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from '#src/errors.ts'

const macBytes = 16

/**
 * Where a page ended, as text for the caller to hand back (contract section 1): authenticated, so good on every pod and
 * impossible to forge. `key` is `store.keys.derive('cursor:<list>')`, one for each list, so that the cursor of one list
 * opens no other. It hides nothing: put only into it what the page itself showed.
 */
export function sealCursor(key: Buffer, value: unknown): string {
  const text = Buffer.from(JSON.stringify(value))
  return Buffer.concat([mac(key, text), text]).toString('base64url')
}

/** The value that `sealCursor` took. Throws InvalidInput for anything not sealed with `key`. */
export function openCursor<T>(key: Buffer, cursor: string): T {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.subarray(macBytes)
  if (bytes.length <= macBytes || !timingSafeEqual(bytes.subarray(0, macBytes), mac(key, text)))
    throw new Refusal('InvalidInput', 'cursor is not one of this list.')
  return JSON.parse(text.toString()) as T
}

function mac(key: Buffer, text: Buffer): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, macBytes)
}
