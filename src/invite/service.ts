/**
 * Invites, for those who give them (contract section 5). An invite is `valid` until it is used, revoked or its time has
 * come; only a valid one changes. Whoever assigns groups needs authority over every `app_sso_*` group that they lead to.
 */
import type { InviteRecord } from '#adapters/redis/invites.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { requireAuthority } from '#src/group/authority.ts'
import { groupName } from '#src/group/names.ts'
import { isSelf } from '#src/http/access.ts'
import { handOver } from '#src/mail/deliver.ts'
import type { Actor } from '#src/user/actor.ts'
import { mailAddress } from '#src/user/fields.ts'
import { sameAddress } from '#src/user/verification.ts'
import { isValid } from './claim.ts'
import { countLink, sendLink, verificationLetter } from './link.ts'
import type { Invite, InviteChanges, NewInvite, State } from './schemas.ts'

type Needs = Pick<Deps, 'store' | 'groups' | 'config' | 'mail' | 'audit' | 'log'>

/** Makes an invite, and mails a link where it has an address. Throws InvalidInput, InsufficientPermission. */
export async function createInvite(
  deps: Needs,
  by: Actor,
  input: NewInvite,
): Promise<{ token: string; link: string; mail_sent: boolean }> {
  const { store, config, audit } = deps
  const mail = input.mail?.trim() ? mailAddress(input.mail) : null
  const groups = await assignable(deps, by, input.groups ?? [])
  const created_by = by.caller.uid
  const lifetimeSeconds = await lifetimeOf(deps, by, input.expires_in_days)
  const invite = await store.invites.create({ created_by, mail, groups, lifetimeSeconds })
  const { id, token } = invite
  audit.append({
    ...by.event,
    action: 'invite.create',
    target: mail ?? '',
    outcome: 'ok',
    detail: { id, groups },
  })
  const mail_sent = mail !== null && (await handOverLink(deps, invite, mail))
  return { token, link: `${config.oauth.issuer}/login/invite/${token}`, mail_sent }
}

/**
 * Changes groups or address of a valid invite; a new address is sent a link, and a link to the one before opens nothing.
 * Throws NotFound, InsufficientPermission, InvalidInput; InvalidInvite when it is no longer valid.
 */
export async function updateInvite(
  deps: Needs,
  by: Actor,
  token: string,
  input: InviteChanges,
): Promise<InviteRecord> {
  const before = await inviteOf(deps, by, token)
  if (!isValid(before)) throw new Refusal('InvalidInvite')
  const mail = input.mail === undefined ? undefined : input.mail?.trim() ? mailAddress(input.mail) : null
  const groups = input.groups && (await assignable(deps, by, input.groups))
  const invite = await deps.store.invites.change(token, (current) =>
    isValid(current)
      ? {
          ...current,
          ...(mail === undefined ? {} : { mail }),
          ...(groups ? { groups, groups_by: by.caller.uid } : {}),
        }
      : undefined,
  )
  if (!invite) throw new Refusal('InvalidInvite')
  const detail = { id: invite.id, fields: Object.keys(input), groups: invite.groups }
  deps.audit.append({
    ...by.event,
    action: 'invite.update',
    target: invite.mail ?? '',
    outcome: 'ok',
    detail,
  })
  if (invite.mail && !sameAddress(invite.mail, before.mail ?? undefined))
    await sendLink(deps, invite, invite.mail)
  return invite
}

/**
 * Mails the link once more; answers whether it was handed over. Throws NotFound, InsufficientPermission, InvalidInvite;
 * InvalidInput for an invite without an address; TooManyRequests.
 */
export async function sendAgain(deps: Needs, by: Actor, token: string): Promise<boolean> {
  const invite = await inviteOf(deps, by, token)
  const { id, mail } = invite
  if (!isValid(invite)) throw new Refusal('InvalidInvite')
  if (mail === null) throw new Refusal('InvalidInput', 'This invite is for no address: hand its link on.')
  await countLink(deps, invite)
  const mail_sent = await handOverLink(deps, invite, mail)
  const outcome = mail_sent ? 'ok' : 'failed'
  deps.audit.append({ ...by.event, action: 'invite.send', target: mail, outcome, detail: { id } })
  return mail_sent
}

/** Revokes a valid invite. Throws NotFound, InsufficientPermission; InvalidInvite when it is no longer valid. */
export async function revokeInvite(deps: Needs, by: Actor, token: string): Promise<void> {
  const { store, audit } = deps
  const { id, mail } = await inviteOf(deps, by, token)
  const revoked = await store.invites.change(token, (invite) =>
    isValid(invite) ? { ...invite, state: 'revoked' } : undefined,
  )
  if (!revoked) throw new Refusal('InvalidInvite')
  audit.append({ ...by.event, action: 'invite.revoke', target: mail ?? '', outcome: 'ok', detail: { id } })
}

/** Whose invites the caller sees: everybody's for an admin, else their own. */
export async function creatorSeenBy(by: Actor): Promise<string | undefined> {
  return (await by.caller.isMemberOf('app_sso_admin')) ? undefined : by.caller.uid
}

/** An invite as the interface has it. */
export function shown(invite: InviteRecord): Invite {
  const { token, created_by, created_on, expires_at, mail, groups, used_by, used_on } = invite
  const state = stateOf(invite)
  return {
    ...{ token, created_by, created_on, expires_at, is_valid: state === 'valid', mail, state },
    groups: JSON.stringify(groups),
    ...(state === 'used' && used_by && used_on ? { used_by, used_on } : {}),
  }
}

/** Where it stands now: time may have ended what is kept as valid. */
export function stateOf(invite: InviteRecord): State {
  return isValid(invite) ? 'valid' : invite.state === 'valid' ? 'expired' : invite.state
}

/** An invite that the caller may change. */
async function inviteOf({ store }: Needs, by: Actor, token: string): Promise<InviteRecord> {
  const invite = await store.invites.find(token)
  if (!invite) throw new Refusal('NotFound', 'There is no such invite.')
  if (!isSelf(by.caller, invite.created_by) && !(await by.caller.isMemberOf('app_sso_admin')))
    throw new Refusal('InsufficientPermission', 'Somebody else made this invite.')
  return invite
}

/** Seconds that an invite lives. Throws InvalidInput where the caller may not have it live that long. */
async function lifetimeOf({ config }: Pick<Needs, 'config'>, by: Actor, days: number | undefined) {
  const { lifetime_seconds } = config.invite
  const wanted = days === undefined ? lifetime_seconds : days * 86_400
  if (wanted > lifetime_seconds && !(await by.caller.isMemberOf('app_sso_admin')))
    throw new Refusal('InvalidInput', `expires_in_days is more than the ${lifetime_seconds} seconds allowed.`)
  return wanted
}

/** The names of the groups as they are spelled, once each. Throws InvalidInput for one that is not there. */
async function assignable({ groups, config }: Needs, by: Actor, names: string[]): Promise<string[]> {
  const found = new Set<string>()
  const narrowed = config.invite.only_owned_groups && !(await by.caller.isMemberOf('app_sso_admin'))
  for (const name of new Set(names)) {
    const group = await groups.named(groupName(name))
    if (!group) throw new Refusal('InvalidInput', `groups: there is no group ${name}.`)
    await requireAuthority({ groups }, by.caller, group)
    if (narrowed && !(await groups.isOwner(by.caller.dn, group.cn)))
      throw new Refusal('InsufficientPermission', `You do not own the group ${group.cn}.`)
    found.add(group.cn)
  }
  return [...found]
}

async function handOverLink(deps: Needs, invite: InviteRecord, mail: string): Promise<boolean> {
  try {
    await handOver(deps, mail, await verificationLetter(deps, invite, mail))
    return true
  } catch (error) {
    if (!isRefusal(error, 'UpstreamFailure')) throw error
    deps.log.warn({ err: error, id: invite.id }, 'the mail of an invite was not handed over')
    return false
  }
}
