import type { Account } from '#src/accounts.ts'
import type { Deps } from '#src/deps.ts'
import type { Config } from '#src/settings.ts'
import type { OwnFields } from './clients.ts'

/** Claims by scope (interface, Scopes and claims); the same in the ID token and in userinfo. */
export const claimsByScope = {
  openid: ['sub'],
  profile: ['preferred_username', 'name', 'given_name', 'family_name'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
}

/** Where seams.ts finds what becomes `sub`; no scope names it, so it is never told under this name. */
export const subjectClaim = 'latchkey_subject'

/** What `sub` holds: the uid, or the directory's own identifier that is never given again (setting oauth.subject). */
export function subjectOf({ uid, entryUUID }: Account['entry'], { oauth }: Pick<Config, 'oauth'>): string {
  return oauth.subject === 'entryUUID' ? entryUUID : uid
}

/** `claims`: those asked for by name, beside those of the scopes. */
type Use = { scope: string; claims?: string[]; idToken: boolean; client: OwnFields }

/** What is said of a person; the library keeps of it what the granted scopes name. */
export async function claimsOf(
  { entry, groups }: Account,
  { scope, claims = [], idToken, client }: Use,
  { store, config }: Pick<Deps, 'store' | 'config'>,
): Promise<Record<string, unknown>> {
  const scopes = scope.split(' ')
  const { uid, givenName, sn, mail } = entry
  const asked = (name: 'groups' | 'email') =>
    scopes.includes(name) || claimsByScope[name].some((each) => claims.includes(each))
  const wantsGroups = asked('groups') && !(idToken && client.groups_in_id_token === false)
  const [verified, names] = await Promise.all([
    asked('email') && mail ? isVerified(entry, store) : false,
    wantsGroups ? groups() : undefined,
  ])
  return {
    [subjectClaim]: subjectOf(entry, config),
    preferred_username: uid,
    name: [givenName, sn].filter(Boolean).join(' ') || uid,
    given_name: givenName,
    family_name: sn,
    ...(mail ? { email: mail } : {}),
    // Old proxies refuse `email_verified: false`, so it is said only where it is true (contract section 9).
    ...(verified ? { email_verified: true } : {}),
    ...(names
      ? {
          groups: selectGroups(
            names.map(({ cn }) => cn),
            client,
          ),
        }
      : {}),
  }
}

/** Keeps of a person's groups what the client is to see (`groups_claim`, contract section 10). */
export function selectGroups(
  names: string[],
  { groups_claim, allowed_groups }: Pick<OwnFields, 'groups_claim' | 'allowed_groups'>,
): string[] {
  if (groups_claim === 'all') return names
  const wanted = groups_claim === 'allowed' ? allowed_groups.map(literal) : groups_claim.map(pattern)
  return names.filter((name) => wanted.some((expression) => expression.test(name)))
}

const freshMilliseconds = 1000
const verifications = new Map<string, { until: number; verified: Promise<boolean> }>()

/** Whether a person's mail address is verified, as it was within the last second. */
function isVerified({ uid, mail }: Account['entry'], store: Deps['store']): Promise<boolean> {
  const key = `${uid} ${mail}`
  const known = verifications.get(key)
  if (known && known.until > Date.now()) return known.verified
  if (verifications.size > 10_000) verifications.clear()
  const verified = store.verification.mailVerified({ uid, mail })
  verifications.set(key, { until: Date.now() + freshMilliseconds, verified })
  verified.catch(() => verifications.delete(key))
  return verified
}

/** `*` in a name pattern stands for any characters. */
function pattern(text: string): RegExp {
  return new RegExp(`^${text.split('*').map(escaped).join('.*')}$`, 'i')
}
function literal(text: string): RegExp {
  return new RegExp(`^${escaped(text)}$`, 'i')
}
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
