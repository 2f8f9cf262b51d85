import type { Entry } from 'ldapts'
import { sameDn } from './dn.ts'
import { firstOf, valuesOf } from './entry.ts'
import type { Layout } from './layout.ts'

export type GroupSummary = {
  cn: string
  dn: string
  /** Empty when nobody gave one. */
  description: string
}
export type GroupEntry = GroupSummary & {
  /** DNs of users and nested groups; the placeholder never shows. */
  member: string[]
  owner: string[]
  gidNumber?: number
}

export const summaryAttributes = ['cn', 'description']

/** What to ask for to make a GroupEntry of it. */
export function groupAttributes({ group }: Layout): string[] {
  return [...summaryAttributes, 'gidNumber', group.member, group.owner]
}

export function summaryOf(entry: Entry): GroupSummary {
  return { cn: firstOf(entry, 'cn') ?? '', dn: entry.dn, description: firstOf(entry, 'description') ?? '' }
}

export function groupOf(entry: Entry, { group }: Layout): GroupEntry {
  const gidNumber = firstOf(entry, 'gidNumber')
  return {
    ...summaryOf(entry),
    member: valuesOf(entry, group.member).filter((dn) => !sameDn(dn, group.placeholder)),
    owner: valuesOf(entry, group.owner),
    ...(gidNumber ? { gidNumber: Number(gidNumber) } : {}),
  }
}
