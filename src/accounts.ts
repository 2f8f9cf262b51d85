import { randomUUID } from 'node:crypto'
import type { Groups, Users } from '#adapters/ldap/directory.ts'
import type { Chain, GroupName } from '#adapters/ldap/group.ts'
import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Store } from '#adapters/redis/store.ts'
import { isPermissionGroup } from './http/access.ts'

/** How long a pod may answer from what it read (contract section 9, freshness). */
const freshMilliseconds = 1000
const most = 10_000
const channel = 'accounts'

/** What a request needs to know of a person, read at most once a second per pod. */
export type Account = {
  entry: UserEntry
  /** All groups the user is effectively in, nested ones included; read at first need. */
  groups(): Promise<GroupName[]>
  /** The same with how: for each group one shortest chain of names, from it down. */
  chains(): Promise<Chain[]>
  /** Effective membership of one group: one compare where the answer is plain. The service's own groups are small. */
  isMemberOf(cn: string): Promise<boolean>
}

/** `{uid}`: that person changed. `{group}`: memberships changed, anybody's. */
export type DirectoryChange = { uid?: string; group?: string }

/**
 * People by uid with single flight, for at most one second (contract section 9, freshness). Our own writes drop
 * what they changed on every pod through the bus, before they answer here.
 */
export function openAccounts({ users, groups }: { users: Users; groups: Groups }, bus: Store['bus']) {
  const cache = new Map<string, { until: number; account: Promise<Account | undefined> }>()
  const listeners: ((change: DirectoryChange) => void)[] = []

  /** Counts changes, so that what was read before one is not kept after it. */
  let changes = 0
  const forget = (change: DirectoryChange) => {
    const { uid, group } = change
    changes += 1
    for (const listener of listeners) listener(change)
    if (group !== undefined) cache.clear()
    else if (uid !== undefined) cache.delete(uid.toLowerCase())
  }
  /** What this pod told the others comes back to it as well. */
  const pod = randomUUID()
  bus.subscribe(channel, (message) => {
    const { from, ...change } = JSON.parse(message) as DirectoryChange & { from: string }
    if (from !== pod) forget(change)
  })
  bus.onGap(() => forget({ group: '' }))

  async function read(uid: string): Promise<Account | undefined> {
    const entry = await users.find(uid)
    return entry && accountOf(entry, groups)
  }

  return {
    find(uid: string): Promise<Account | undefined> {
      const key = uid.toLowerCase()
      const now = Date.now()
      const known = cache.get(key)
      if (known && known.until > now) return known.account
      if (cache.size >= most) cache.clear()
      const account = read(uid)
      cache.set(key, { until: now + freshMilliseconds, account })
      account.catch(() => cache.delete(key))
      return account
    },

    /** Before an entry is read by other means; what is read is then kept as if it had been asked for here. */
    reading(): (entry: UserEntry) => void {
      const [before, until] = [changes, Date.now() + freshMilliseconds]
      return (entry) => {
        if (changes !== before) return
        if (cache.size >= most) cache.clear()
        cache.set(entry.uid.toLowerCase(), { until, account: Promise.resolve(accountOf(entry, groups)) })
      }
    },

    /** Called whenever people or groups were changed, here or on another pod, and when that may have been missed. */
    onChange(listener: (change: DirectoryChange) => void): void {
      listeners.push(listener)
    },

    /** Drops here at once and tells the other pods. */
    async changed(change: DirectoryChange): Promise<void> {
      forget(change)
      await bus.publish(channel, JSON.stringify({ ...change, from: pod }))
    },
  }
}
export type Accounts = ReturnType<typeof openAccounts>

function accountOf(entry: UserEntry, groups: Groups): Account {
  let all: Promise<GroupName[]> | undefined
  let explained: Promise<Chain[]> | undefined
  const known = new Map<string, Promise<boolean>>()
  return {
    entry,
    groups: () => (all ??= groups.effectiveGroupsOf(entry.dn)),
    chains: () => (explained ??= groups.chainsOf(entry.dn)),
    isMemberOf(cn) {
      const key = cn.toLowerCase()
      if (all) return all.then((names) => names.some((group) => group.cn.toLowerCase() === key))
      const asked =
        known.get(key) ?? groups.isEffectiveMember(entry.dn, cn, { small: isPermissionGroup(key) })
      known.set(key, asked)
      return asked
    },
  }
}
