import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { uidSpelled } from '#src/user/fields.ts'
import type { NewNotification } from './schemas.ts'

/** Whom a notification goes to: the request's filter, read and found to name what there is. */
export type Selection =
  | { of: 'everybody'; activeOnly: boolean }
  | { of: 'groups'; names: string[]; activeOnly: boolean }
  | { of: 'users'; uids: string[] }

type Filter = Pick<NewNotification, 'filter_type' | 'filter_value' | 'active_only'>
type Directory = Pick<Deps, 'users' | 'groups'>

const pageSize = 500

/** Throws InvalidInput for a filter that cannot be read. */
export function selectionOf({ filter_type, filter_value = '', active_only = false }: Filter): Selection {
  if (filter_type === 'all_active') return { of: 'everybody', activeOnly: true }
  if (filter_type === 'all') return { of: 'everybody', activeOnly: active_only }
  if (filter_type === 'users') return { of: 'users', uids: uidsIn(filter_value) }
  const names = unique(filter_value.split(',').map((name) => name.normalize('NFKC').trim()))
  if (names.length === 0) throw new Refusal('InvalidInput', 'filter_value names no group.')
  return { of: 'groups', names, activeOnly: active_only }
}

/** Throws InvalidInput for a group or user that is not there. */
export async function refuseUnknown({ users, groups }: Directory, selection: Selection): Promise<void> {
  const unknown = (what: string) => new Refusal('InvalidInput', `filter_value: there is no ${what}.`)
  if (selection.of === 'groups')
    for (const name of selection.names) if (!(await groups.named(name))) throw unknown(`group ${name}`)
  if (selection.of === 'users') {
    const there = await users.exists(selection.uids)
    for (const uid of selection.uids) if (!there.has(uid)) throw unknown(`user ${uid}`)
  }
}

/** The uids, in pages; the same person may come again where several groups are listed. */
export async function* recipientsOf(deps: Directory, selection: Selection): AsyncGenerator<string[]> {
  if (selection.of === 'users') return yield* pages(selection.uids)
  const people = selection.of === 'everybody' ? deps.users.list() : membersOf(deps, selection.names)
  let page: string[] = []
  for await (const { uid, isActive } of people) {
    if (selection.activeOnly && !isActive) continue
    page.push(uid.toLowerCase())
    if (page.length < pageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Effective members; a group that went away since has none. */
async function* membersOf({ users, groups }: Directory, names: string[]): AsyncGenerator<UserEntry> {
  for (const name of names) {
    const members = await groups.effectiveMembersOf(name)
    for (const dns of pages(members?.effective ?? [])) yield* await users.findByDns(dns)
  }
}

function uidsIn(text: string): string[] {
  let uids: unknown
  try {
    uids = JSON.parse(text)
  } catch {
    uids = undefined
  }
  if (!Array.isArray(uids) || uids.length === 0 || !uids.every((uid) => typeof uid === 'string'))
    throw new Refusal('InvalidInput', 'filter_value must be a JSON array of uids, as a string.')
  try {
    return unique(uids.map((uid) => uidSpelled(uid).toLowerCase()))
  } catch (cause) {
    throw new Refusal('InvalidInput', 'filter_value holds a uid that nobody can have.', { cause })
  }
}

function unique(names: string[]): string[] {
  return [...new Map(names.filter(Boolean).map((name) => [name.toLowerCase(), name])).values()]
}

function* pages<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += pageSize) yield items.slice(at, at + pageSize)
}
