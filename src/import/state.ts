import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'

/** Somebody as they are, or as they will be by the steps so far. */
export type Standing = Pick<UserEntry, 'uid' | 'givenName' | 'sn' | 'mail' | 'isActive'> &
  Partial<Pick<UserEntry, 'mobile' | 'dateOfBirth' | 'sshPublicKey'>>

/** A group as it will be: `members` and `owners` are uids, `nested` and `parents` names, all in lower case. */
export type StandingGroup = {
  cn: string
  members: Set<string>
  owners: Set<string>
  nested: Set<string>
  parents: Set<string>
}

export type State = Awaited<ReturnType<typeof readState>>

/**
 * All people and groups of the directory, read in pages: what an import is compared with. The plan writes into it what it
 * will do, so that each step is judged as if those before it were done.
 */
export async function readState({ users, groups, directory }: Pick<Deps, 'users' | 'groups' | 'directory'>) {
  const people = new Map<string, Standing>()
  const byDn = new Map<string, { uid: string } | { cn: string }>()
  const mails = new Map<string, string>()
  const mobiles = new Map<string, string>()
  /** Of people and groups: on Linux hosts a person's number is their own group's too. */
  const numbers = new Map<number, string>()
  for await (const entry of users.list()) {
    const uid = entry.uid.toLowerCase()
    const { givenName, sn, mail, mobile, dateOfBirth, sshPublicKey, isActive } = entry
    people.set(uid, {
      uid: entry.uid,
      givenName,
      sn,
      mail,
      isActive,
      ...some({ mobile, dateOfBirth, sshPublicKey }),
    })
    byDn.set(directory.dnKey(entry.dn), { uid })
    mails.set(mail.toLowerCase(), uid)
    if (mobile) mobiles.set(mobile, uid)
    if (entry.uidNumber !== undefined) numbers.set(entry.uidNumber, uid)
  }
  const known = new Map<string, StandingGroup>()
  const listed: [cn: string, member: string[], owner: string[]][] = []
  for await (const { cn, dn, member, owner, gidNumber } of groups.listWhole()) {
    known.set(cn.toLowerCase(), newGroup(cn))
    byDn.set(directory.dnKey(dn), { cn: cn.toLowerCase() })
    if (gidNumber !== undefined && !numbers.has(gidNumber)) numbers.set(gidNumber, `the group ${cn}`)
    listed.push([cn.toLowerCase(), member, owner])
  }
  for (const [cn, member, owner] of listed) {
    const group = known.get(cn) as StandingGroup
    for (const dn of member) {
      const found = byDn.get(directory.dnKey(dn))
      if (found && 'uid' in found) group.members.add(found.uid)
      else if (found) nestIn(known, cn, found.cn)
    }
    for (const dn of owner) {
      const found = byDn.get(directory.dnKey(dn))
      if (found && 'uid' in found) group.owners.add(found.uid)
    }
  }
  return {
    people,
    byDn,
    mails,
    mobiles,
    numbers,
    groups: known,
    read: { people: people.size, groups: known.size },
  }
}

export function newGroup(cn: string): StandingGroup {
  return { cn, members: new Set(), owners: new Set(), nested: new Set(), parents: new Set() }
}

export function nestIn(groups: Map<string, StandingGroup>, parent: string, child: string): void {
  groups.get(parent)?.nested.add(child)
  groups.get(child)?.parents.add(parent)
}

/** The group and all above it (or below it), each once. */
export function chainFrom(
  groups: Map<string, StandingGroup>,
  cn: string,
  direction: 'parents' | 'nested',
): Set<string> {
  const reached = new Set([cn])
  for (const each of reached) for (const next of groups.get(each)?.[direction] ?? []) reached.add(next)
  return reached
}

function some<T extends Record<string, string | undefined>>(values: T): { [name in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as {
    [name in keyof T]?: string
  }
}
