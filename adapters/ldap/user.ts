import type { Entry, Filter } from 'ldapts'
import { Refusal } from '#src/errors.ts'
import type { Context } from './context.ts'
import { childDn, normaliseDn, parseDn } from './dn.ts'
import { replace, valuesOf } from './entry.ts'
import { all, any, chunks, equals } from './filters.ts'
import { leaveGroups } from './leave.ts'
import { isPlainName, plainName, sameName } from './names.ts'
import { setPassword, verifyPassword } from './password.ts'
import { openPeopleFigures } from './people-figures.ts'
import { openPeopleLists } from './people-lists.ts'
import { codeOf } from './results.ts'
import { parseTime } from './time.ts'
import { observeUnique } from './user-clash.ts'
import type { UserEntry } from './user-entry.ts'
import { endedLongAgo, lockedForEver, userAttributes, userOf } from './user-entry.ts'
import type { NewUser, UserChanges } from './user-write.ts'
import { addUser, modifyUser, postReadOf } from './user-write.ts'

export type { PeoplePage, PeopleQuery } from './people-lists.ts'
export type { ExportedUser, UserEntry } from './user-entry.ts'
export type { Brought, NewUser, UserChanges } from './user-write.ts'
export type Users = ReturnType<typeof openUsers>

/** People. Absence is `undefined` (or false); conflicts are refusals. */
export function openUsers(context: Context) {
  const { pool, layout, capabilities, onChange } = context
  const { user: names } = layout
  const attributes = userAttributes(layout, capabilities)
  const dnOf = (uid: string) => childDn(names.uid, uid, names.base)

  async function search(filter: Filter): Promise<Entry[]> {
    return pool.search(names.base, { filter: all(filter, names.filter), attributes })
  }

  async function find(uid: string): Promise<UserEntry | undefined> {
    const name = plainName(uid)
    if (name === undefined) return undefined
    const [entry] = await search(equals(names.uid, name))
    return entry && userOf(entry, layout)
  }

  /**
   * Runs `act` on the DN that a user made here has; only when nothing is there, on the one found by search: an
   * existing directory may name its entries otherwise. `surely`: when `act` cannot tell that nothing is there.
   */
  async function onEntry<T>(
    uid: string,
    act: (dn: string) => Promise<T>,
    surely = false,
  ): Promise<T | undefined> {
    const name = plainName(uid)
    if (name === undefined) return undefined
    const usual = surely ? undefined : dnOf(name)
    try {
      if (usual) return await act(usual)
    } catch (error) {
      if (codeOf(error) !== 32) throw error
    }
    const found = await find(name)
    return found && found.dn !== usual ? act(found.dn) : undefined
  }

  async function changed(uid: string, after: Entry | undefined): Promise<UserEntry | undefined> {
    await onChange({ uid })
    return after ? userOf(after, layout) : find(uid)
  }

  return {
    find,

    /** When the entry was made, milliseconds; slapd counts whole seconds. */
    madeOn: ({ createTimestamp }: UserEntry): number => parseTime(createTimestamp) * 1000,

    /** The DN of that user; where there is none, what it would be or was: groups may hold it still. */
    async dnOf(uid: string): Promise<string> {
      return (await find(uid))?.dn ?? dnOf(uid)
    },

    /** By username or mail address; a username wins. */
    async findByLogin(login: string): Promise<UserEntry | undefined> {
      const name = plainName(login)
      if (name === undefined) return undefined
      const entries = await search(any([equals(names.uid, name), equals(names.mail, name)]))
      const users = entries.map((entry) => userOf(entry, layout))
      return users.find(({ uid }) => sameName(uid, name)) ?? users[0]
    },

    /** Those of the DNs that are people, in the order given. */
    async findByDns(dns: string[]): Promise<UserEntry[]> {
      const found = new Map<string, UserEntry>()
      const rdns = dns.map((dn) => parseDn(dn)?.[0]).filter((part) => part !== undefined)
      const searches = chunks(rdns).map((part) =>
        search(any(part.map(({ attribute, value }) => equals(attribute, value)))),
      )
      for (const entry of (await Promise.all(searches)).flat())
        found.set(normaliseDn(entry.dn), userOf(entry, layout))
      return dns.map((dn) => found.get(normaliseDn(dn))).filter((user) => user !== undefined)
    },

    /** Those of `uids` that are people, by uid in lower case. */
    async findByUids(uids: string[]): Promise<Map<string, UserEntry>> {
      const found = await Promise.all(
        chunks(uids).map((part) => search(any(part.map((uid) => equals(names.uid, uid))))),
      )
      const people = found.flat().map((entry) => userOf(entry, layout))
      return new Map(people.map((user) => [user.uid.toLowerCase(), user]))
    },

    /** Those of `uids` that are taken, in lower case. */
    async exists(uids: string[]): Promise<Set<string>> {
      const searches = chunks(uids).map((part) =>
        pool.search(names.base, {
          filter: any(part.map((uid) => equals(names.uid, uid))),
          attributes: [names.uid],
        }),
      )
      const entries = (await Promise.all(searches)).flat()
      return new Set(entries.flatMap((entry) => valuesOf(entry, names.uid)).map((uid) => uid.toLowerCase()))
    },

    ...openPeopleLists(context, attributes),

    /** Numbers up to this one are given to nobody by themselves any more. */
    async passOverNumbers(highest: number): Promise<void> {
      if (capabilities.posix || capabilities.posixGroup) await context.counter.passOver(highest)
    },
    ...openPeopleFigures(context, attributes),

    /** Throws AlreadyExists, MailInUse, MobileInUse, InvalidInput (password policy). */
    async create(user: NewUser, { mustChange = false }: { mustChange?: boolean } = {}): Promise<UserEntry> {
      if (!isPlainName(user.uid))
        throw new Refusal('InvalidInput', 'uid holds signs that a name cannot have.')
      const dn = dnOf(user.uid)
      const after = await addUser(context, dn, user, { mustChange })
      if (user.password !== undefined && !capabilities.observed.hashes)
        await setPassword(context, dn, user.password, { mustChange })
      if (capabilities.observed.unique === undefined) await observeUnique(context)
      const made = await changed(user.uid, after)
      if (!made) throw new Refusal('UpstreamFailure')
      return made
    },

    /** The user after the changes, or undefined when there is none. Throws MailInUse, MobileInUse, Conflict. */
    async update(uid: string, changes: UserChanges): Promise<UserEntry | undefined> {
      const modify = async (dn: string) => ({ after: await modifyUser(context, dn, changes) })
      const done = await onEntry(uid, modify, !capabilities.observed.unique)
      return done && changed(uid, done.after)
    },

    /** False for a wrong password, an absent, locked or password-less account, at one and the same cost. */
    verifyPassword(user: Pick<UserEntry, 'dn'> | undefined, password: string): Promise<boolean> {
      return verifyPassword(context, user?.dn, password)
    },

    /**
     * False when there is no such user. With `current` the directory checks that one in the same step (LoginFailed).
     * Throws InvalidInput with the password policy's reason.
     */
    async setPassword(
      uid: string,
      password: string,
      options: { mustChange: boolean; current?: string | undefined },
    ): Promise<boolean> {
      const set = async (dn: string) => ({ done: await setPassword(context, dn, password, options) })
      // A wrong `current` and an entry elsewhere look the same: look where it is.
      const done = await onEntry(uid, set, options.current !== undefined)
      if (done) await onChange({ uid })
      return done !== undefined
    },

    /** Locks or unlocks for direct binds and Linux hosts too: both attributes in one step. */
    async setActive(uid: string, active: boolean): Promise<UserEntry | undefined> {
      if (!capabilities.lock)
        throw new Refusal('InternalError', undefined, {
          cause: new Error('the directory knows no lock (ppolicy)'),
        })
      const lock = [
        replace('pwdAccountLockedTime', ...(active ? [] : [lockedForEver])),
        replace('pwdEndTime', ...(active ? [] : [endedLongAgo])),
      ]
      const done = await onEntry(uid, async (dn) => {
        const postRead = postReadOf(context)
        await pool.write('change', (connection) => connection.modify(dn, lock, postRead ? [postRead] : []))
        return { after: postRead?.entry }
      })
      return done && changed(uid, done.after)
    },

    /**
     * Leaves all groups, then goes, and leaves those that it was put into meanwhile: whoever put it there saw it still. A
     * group whose only member it was keeps a hidden placeholder.
     */
    async remove(uid: string): Promise<boolean> {
      const user = await find(uid)
      if (!user) return false
      await leaveGroups(context, user.dn)
      const gone = await pool
        .write('remove', (connection) => connection.del(user.dn))
        .then(
          () => true,
          (error) => {
            if (codeOf(error) === 32) return false
            throw error
          },
        )
      await onChange({ uid: user.uid })
      await leaveGroups(context, user.dn)
      return gone
    },
  }
}
