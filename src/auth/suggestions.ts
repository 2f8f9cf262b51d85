import type { Deps } from '#src/deps.ts'
import { isNewUid, longestUid } from '#src/user/fields.ts'

export type Named = { givenName: string; sn: string; dob?: string | undefined }

const most = 6

/**
 * Usernames that nobody has or ever had, the most usual first, at most 6 (contract section 4): one search in the
 * directory for all of them. Empty for names that leave nothing in ASCII.
 */
export async function suggestUsernames(
  { users, store }: Pick<Deps, 'users' | 'store'>,
  named: Named,
): Promise<string[]> {
  const candidates = usernamesFor(named)
  const [taken, past] = await Promise.all([users.exists(candidates), store.pastUids.among(candidates)])
  return candidates.filter((uid) => !taken.has(uid) && !past.has(uid)).slice(0, most)
}

/** Every form that is asked for, in the order of preference: no more than one search holds. */
export function usernamesFor({ givenName, sn, dob }: Named): string[] {
  const [given, family] = [folded(givenName), folded(sn)]
  const first = given.slice(0, 1) + family
  const plain = [first, given + family, dotted(given, family), given + family.slice(0, 1)]
  const year = dob?.slice(0, 4)
  const years = year ? [year, year.slice(2)] : []
  const dated = years.flatMap((suffix) => [first, given + family].map((name) => suffixed(name, suffix)))
  const other = [family + given.slice(0, 1), given, family]
  const numbered = Array.from({ length: 20 }, (_, at) => suffixed(first, String(at + 2)))
  const all = [...plain, ...dated, ...other, ...numbered].map((name) => name.slice(0, longestUid))
  return [...new Set(all)].filter(isNewUid)
}

/** Letters and digits of ASCII: accents go, letters of their own are written out (ß, ø, ł …), all else is left out. */
function folded(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]/g, (letter) => written[letter] ?? '')
    .replace(/^[0-9]+/, '')
}

const written: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'n' },
}

function dotted(given: string, family: string): string {
  return given && family ? `${given}.${family}` : ''
}

/** The suffix stays whole, the name gives way. */
function suffixed(name: string, suffix: string): string {
  return name && name.slice(0, longestUid - suffix.length) + suffix
}
