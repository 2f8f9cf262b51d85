import type { UserEntry } from '#adapters/ldap/user.ts'
import type { AddressKind } from '#adapters/redis/verification.ts'
import type { AddressClaim } from '#adapters/redis/verification-token.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { deliver, deliverText } from '#src/mail/deliver.ts'

type Sending = Pick<Deps, 'store' | 'config' | 'log'>

/**
 * Asks for confirmation of every address that changed and tells the old ones (contract section 2). The change itself
 * stands already, so a message that cannot be sent refuses nothing: the sentence for the caller says it.
 */
export async function announceChanges(deps: Sending, before: UserEntry, after: UserEntry): Promise<string> {
  const changed = kinds.filter((kind) => !sameAddress(before[kind], after[kind]))
  const sent = await Promise.all(changed.map((kind) => announce(deps, kind, before, after)))
  const said = sent.filter((sentence) => sentence !== undefined)
  return ['The account was changed.', ...said].join(' ')
}

/** What a verification link is about, before anybody confirms it. Throws TokenInvalid, also when the address changed. */
export async function claimOf(
  { store, users }: Pick<Deps, 'store' | 'users'>,
  token: string,
): Promise<AddressClaim> {
  const claim = await store.verificationTokens.find(token)
  const entry = claim && (await users.find(claim.uid))
  if (!claim || !entry?.isActive || !sameAddress(entry[claim.kind], claim.address))
    throw new Refusal('TokenInvalid')
  return claim
}

/** Marks the address of a verification link as verified; the link is used up. Throws TokenInvalid. */
export async function confirmAddress(
  deps: Pick<Deps, 'store' | 'users' | 'audit'>,
  token: string,
  from: string,
): Promise<AddressClaim> {
  const claim = await claimOf(deps, token)
  const { uid, kind, address } = claim
  await deps.store.verification.confirm(uid, kind, address)
  await deps.store.verificationTokens.remove(token)
  const detail = { kind }
  deps.audit.append({ actor: uid, action: 'user.verify', target: uid, outcome: 'ok', address: from, detail })
  return claim
}

const kinds: readonly AddressKind[] = ['mail', 'mobile']
const nameOf = { mail: 'mail address', mobile: 'phone number' } as const

async function announce(
  deps: Sending,
  kind: AddressKind,
  before: UserEntry,
  after: UserEntry,
): Promise<string | undefined> {
  const { log } = deps
  const [asked] = await Promise.allSettled([
    requestConfirmation(deps, kind, after),
    tellOldAddress(deps, kind, before),
  ])
  if (!after[kind]) return undefined
  if (asked.status === 'fulfilled') return `A link to confirm the new ${nameOf[kind]} is on its way to it.`
  log.warn({ err: asked.reason, uid: after.uid }, 'a verification message was not sent')
  return `The link to confirm the new ${nameOf[kind]} could not be sent.`
}

async function requestConfirmation(deps: Sending, kind: AddressKind, { uid, ...addresses }: UserEntry) {
  const address = addresses[kind]
  if (!address) return
  const { store, config } = deps
  const token = await store.verificationTokens.issue({ uid, kind, address })
  const href = `${config.oauth.issuer}/verify/${token}`
  const brand = config.branding.name
  if (kind === 'mobile')
    return deliverText(deps, { to: address, body: `${brand}: confirm that this number is yours: ${href}` })
  const letter = {
    subject: `Confirm your mail address for ${brand}`,
    before: [`This address was entered for the account ${uid}.`],
    link: { label: 'Confirm that it is yours', href },
    after: ['The link works for 24 hours. If you know nothing of this account, do nothing.'],
  }
  return deliver(deps, address, letter)
}

/** So that whoever loses an account to a stranger hears of it. */
async function tellOldAddress(deps: Sending, kind: AddressKind, before: UserEntry) {
  const { config } = deps
  const old = before[kind]
  if (!old) return
  const brand = config.branding.name
  const happened = `The ${nameOf[kind]} of the account ${before.uid} at ${brand} was changed.`
  const advice = 'If it was not you, tell your administrator at once.'
  if (kind === 'mobile') return deliverText(deps, { to: old, body: `${happened} ${advice}` })
  const letter = { subject: `Your mail address at ${brand} was changed`, before: [happened, advice] }
  return deliver(deps, old, letter)
}

/** Addresses and numbers compare without case; none is like none. */
export function sameAddress(a: string | undefined, b: string | undefined): boolean {
  return (a ?? '').toLowerCase() === (b ?? '').toLowerCase()
}
