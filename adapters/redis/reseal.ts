import type { Keys } from './keys.ts'
import { seal, unseal } from './seal.ts'

/** `keys.sealing`, or the same from another key. */
export type Sealing = Keys['sealing']
/** A sealed text where it lies; `name` is what it was sealed under. `replace` is called while no pod runs. */
export type SealedValue = { name: string; sealed: string; replace(next: string): Promise<unknown> }
/** Something that is sealed by `keys.sealing`; all of it stands in `store.sealed`. */
export type Sealed = {
  what: string
  /** How much of it lies under the key `before`, and what opens with neither key; writes nothing. */
  look(before: Sealing): Promise<{ old: number; unreadable: string[] }>
  /** Moves what lies under the key `before` to ours; again where it was interrupted. */
  move(before: Sealing): Promise<void>
}

/** For a store of sealed texts. Its purpose is what it asks `keys.sealing` for. */
export function sealedValues(
  keys: Keys,
  { what, purpose }: { what: string; purpose: string },
  values: () => AsyncIterable<SealedValue>,
): Sealed {
  async function* old(before: Sealing, unreadable: string[]) {
    for await (const value of values()) {
      if (opened(value, keys.sealing(purpose)) !== undefined) continue
      const plain = opened(value, before(purpose))
      if (plain === undefined) unreadable.push(value.name)
      else yield { ...value, plain }
    }
  }
  return {
    what,
    async look(before) {
      const unreadable: string[] = []
      let count = 0
      for await (const _ of old(before, unreadable)) count += 1
      return { old: count, unreadable }
    },
    async move(before) {
      for await (const { plain, name, replace } of old(before, []))
        await replace(seal(plain, keys.sealing(purpose), name))
    },
  }
}

function opened({ sealed, name }: SealedValue, key: Buffer): string | undefined {
  try {
    return unseal(sealed, key, name)
  } catch {
    return undefined
  }
}
