import { Refusal } from '#src/errors.ts'
import type { Metadata, PublicMetadata } from './schemas.ts'
import { publicKeys } from './schemas.ts'

const known = new Set<string>(publicKeys)

/** Throws InvalidInput, naming the key, for what metadata may not hold (contract section 11). */
export function assertMetadata(metadata: Metadata): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (/secret|password|token|key/i.test(key)) refuse(key, 'secrets have no place in metadata')
    if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key)) refuse(key, 'is no name of a key')
    if (typeof value === 'string' && /\p{Cc}/u.test(value.replace(/[\t\r\n]/g, '')))
      refuse(key, 'holds signs that nobody sees')
    if (known.has(key) && typeof value === 'string' && isActive(value)) refuse(key, 'must lead to a place')
  }
  const { docs, icon } = metadata
  if (docs && !isWebUri(docs)) refuse('docs', 'must be an http(s) URL')
  if (icon && !isWebUri(icon) && !/^[\w-]{1,64}$/.test(icon))
    refuse('icon', 'must be a name or an http(s) URL')
}

/** What everybody may see of it. */
export function publicMetadata(metadata: Metadata): PublicMetadata {
  return Object.fromEntries(
    publicKeys.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
  )
}

/** A page that shows it as a link must not run it. */
function isActive(value: string): boolean {
  return /^[\s\p{Cc}]*(javascript|data|vbscript|blob|file):/iu.test(value)
}

function isWebUri(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function refuse(key: string, fault: string): never {
  throw new Refusal('InvalidInput', `metadata.${key}: ${fault}.`)
}
