/**
 * Invites, for those who are invited: an address first, unless the invite has one; then the link that was sent to it, and
 * an account whose address is shown to be theirs. Of parallel acceptances one makes an account (claim.ts).
 */
import type { InviteRecord } from '#adapters/redis/invites.ts'
import type { Opened } from '#src/auth/door.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { requireAuthority } from '#src/group/authority.ts'
import { mailAddress, newEntry } from '#src/user/fields.ts'
import { sameAddress } from '#src/user/verification.ts'
import type { Claimed } from './claim.ts'
import { claim, finish, giveBack, isOpen } from './claim.ts'
import { countLink, sendLink } from './link.ts'
import type { Acceptance } from './schemas.ts'

type Needs = Pick<
  Deps,
  'store' | 'users' | 'groups' | 'accounts' | 'sessions' | 'config' | 'mail' | 'audit' | 'log'
>
type From = { address: string; agent: string }

/** An invite that can be accepted. Throws TokenInvalid. */
export async function openInvite({ store }: Pick<Needs, 'store'>, token: string): Promise<InviteRecord> {
  const invite = await store.invites.find(token)
  if (!invite || !isOpen(invite)) throw new Refusal('TokenInvalid')
  return invite
}

/**
 * Sends a link to the address that somebody gives with an invite. Throws TokenInvalid; InvalidInput when the invite is
 * for another address; TooManyRequests.
 */
export async function requestLink(deps: Needs, token: string, mail: string): Promise<void> {
  const address = mailAddress(mail)
  const invite = await openInvite(deps, token)
  if (invite.mail !== null && !sameAddress(invite.mail, address))
    throw new Refusal('InvalidInput', 'mail is not the address that this invite is for.')
  await countLink(deps, invite)
  await sendLink(deps, invite, invite.mail ?? address)
}

/** The address that a link was sent to, while it is good for its invite. Throws TokenInvalid. */
export async function addressInvited(
  deps: Pick<Needs, 'store'>,
  token: string,
  mailToken: string,
): Promise<string> {
  const [invite, address] = await Promise.all([
    openInvite(deps, token),
    deps.store.invites.addressOf(token, mailToken),
  ])
  if (!address || !fits(invite, address)) throw new Refusal('TokenInvalid')
  return address
}

/**
 * Makes the account and signs it in. Throws TokenInvalid; InvalidInput, AlreadyExists (also for a name that was
 * somebody's) and MailInUse, after which the invite can be tried again.
 */
export async function acceptInvite(
  deps: Needs,
  { token, mailToken }: { token: string; mailToken: string },
  input: Acceptance,
  from: From,
): Promise<Opened> {
  const { store, sessions, audit } = deps
  const mail = await addressInvited(deps, token, mailToken)
  const entry = newEntry({ ...input, mail })
  await refusePast(deps, entry.uid)
  const claimed = await claim(deps, token, entry.uid, (invite) => fits(invite, mail))
  try {
    const { uid, dn } = await make(deps, claimed, entry)
    const generation = await sessions.generation(uid)
    await store.verification.confirm(uid, 'mail', mail)
    const groups = await joinGroups(deps, claimed, dn)
    const session = await sessions.create({ uid, ...from, amr: ['pwd'], generation })
    await finish(deps, claimed)
    const { id, created_by } = claimed
    audit.append({
      ...{ actor: uid, action: 'invite.accept', target: uid, outcome: 'ok', address: from.address },
      detail: { id, created_by, groups },
    })
    return { ...session, uid }
  } catch (error) {
    giveBack(deps, claimed, error)
    throw error
  }
}

/** An invite with an address of its own is good for that one only, whatever it was before. */
function fits(invite: InviteRecord, address: string): boolean {
  return invite.mail === null || sameAddress(invite.mail, address)
}

/**
 * The account; where an acceptance of this invite made it before and was not brought to an end, the one that is there: it
 * has the address that the link was sent to, and the password that is given.
 */
async function make(deps: Needs, { tried = [] }: Claimed, entry: ReturnType<typeof newEntry>) {
  const { users } = deps
  const made = await users.create(entry, { mustChange: false }).catch(async (error) => {
    const before = tried.includes(entry.uid) ? await users.find(entry.uid) : undefined
    const same = before?.isActive && sameAddress(before.mail, entry.mail)
    if (!same || !(await users.verifyPassword(before, entry.password ?? ''))) throw error
    return before
  })
  try {
    // Again: somebody of that name may have been deleted since, which is remembered before it is done.
    await refusePast(deps, made.uid)
  } catch (error) {
    if (isRefusal(error, 'AlreadyExists')) await users.remove(made.uid)
    throw error
  }
  return made
}

async function refusePast({ store }: Needs, uid: string): Promise<void> {
  if (await store.pastUids.has(uid)) throw new Refusal('AlreadyExists', 'This username is taken.')
}

/**
 * Joins the groups of the invite; answers which. One that is gone by now, or that leads where whoever assigned it has no
 * authority any more (attacks row 29), is left out, and the log says so: the account is made.
 */
async function joinGroups(deps: Needs, invite: InviteRecord, dn: string): Promise<string[]> {
  const { groups, log } = deps
  const joined: string[] = []
  for (const cn of invite.groups)
    try {
      await requireAuthorityOf(deps, invite.groups_by, cn)
      if (await groups.addMember(cn, dn)) joined.push(cn)
    } catch (error) {
      if (!isRefusal(error) || error.status >= 500) throw error
      if (isRefusal(error, 'AlreadyMember')) joined.push(cn)
      else log.warn({ err: error, id: invite.id, group: cn }, 'an invited person did not join a group')
    }
  return joined
}

async function requireAuthorityOf({ accounts, groups }: Needs, uid: string, cn: string): Promise<void> {
  const group = await groups.named(cn)
  if (!group) return
  const account = await accounts.find(uid)
  const active = account?.entry.isActive ? account : undefined
  const isMemberOf = async (name: string) => (await active?.isMemberOf(name)) ?? false
  await requireAuthority({ groups }, { dn: active?.entry.dn ?? '', isMemberOf }, group)
}
