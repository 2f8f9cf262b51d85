import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, body, detail, message, paging, results } from '#src/http/replies.ts'

const Dn = Type.String({ description: 'Distinguished name.' })
const cn = Type.String({ description: 'Name of the group.' })
const description = Type.String({ description: 'What the group is for; empty when nobody said.' })

export const GroupSummary = answer({ cn, description })
export type GroupSummary = Static<typeof GroupSummary>

export const Group = answer({
  ...GroupSummary.properties,
  member: Type.Array(Dn, { description: 'Users and nested groups.' }),
  owner: Type.Array(Dn),
})
export type Group = Static<typeof Group>

export const GroupName = answer({ cn, dn: Dn })

const newDescription = Type.String({ maxLength: 1024, description: 'What the group is for.' })
export const NewGroup = body({
  name: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Letters, digits, blank . _ - (at most 64).',
  }),
  description: Type.Optional(newDescription),
})
export type NewGroup = Static<typeof NewGroup>

/** Not the name: applications, resources and other systems know a group by it. */
export const GroupChanges = body({ description: newDescription })
export type GroupChanges = Static<typeof GroupChanges>

export const Effective = answer({
  cn,
  direct: Type.Array(Dn, { description: 'Users listed on the group itself.' }),
  nestedGroups: Type.Array(GroupName, { description: 'Groups nested in it, at any depth.' }),
  effective: Type.Array(Dn, { description: 'Every user in it, at any depth, once.' }),
  via: Type.Optional(
    Type.Record(Type.String(), Type.Array(cn), {
      description: 'With `explain`: for each user one shortest chain of groups, from this one down.',
    }),
  ),
})
export type Effective = Static<typeof Effective>

export const NestingAround = answer({
  cn,
  above: Type.Array(GroupName, { description: 'Groups it is nested in, at any depth.' }),
  below: Type.Array(GroupName, { description: 'Groups nested in it, at any depth.' }),
  edges: Type.Array(
    answer({ group: cn, nested: Type.String({ description: 'Name of a group it lists.' }) }),
    {
      description: 'Which of all these lists which.',
    },
  ),
})

export const PreviewQuery = Type.Object({
  change: Type.Enum(['addMember', 'removeMember', 'nest', 'unnest', 'delete']),
  name: Type.Optional(
    Type.String({ maxLength: 256, description: 'uid of the member, or name of the nested group.' }),
  ),
})
export type PreviewQuery = Static<typeof PreviewQuery>
export const Preview = answer({
  loop: Type.Optional(
    Type.Array(cn, {
      description: 'The loop a nesting would close: from the group through others back to it.',
    }),
  ),
  groups: Type.Array(
    answer({
      cn,
      gain: Type.Array(Dn, { description: 'Users who would be in it and are not.' }),
      loss: Type.Array(Dn, { description: 'Users who are in it and would not be.' }),
    }),
    { description: 'The group, and of those it is nested in the ones whose people would change.' },
  ),
})
export type Preview = Static<typeof Preview>

export const GroupListQuery = Type.Object({
  ...paging,
  ...detail,
  member: Type.Optional(
    Type.String({ maxLength: 256, description: 'uid: only groups that list this user directly.' }),
  ),
  owner: Type.Optional(
    Type.String({ maxLength: 256, description: 'uid: only groups that name this user as an owner.' }),
  ),
  sort: Type.Optional(
    Type.Enum(['createTimestamp', 'cn'], { description: 'Pages come oldest first, or by name.' }),
  ),
})
export type GroupListQuery = Static<typeof GroupListQuery>

export const ExplainQuery = Type.Object({
  explain: Type.Optional(Type.String({ maxLength: 16, description: 'Adds `via`.' })),
})

const pathName = Type.String({ minLength: 1, maxLength: 256 })
export const NameParams = Type.Object({ name: pathName })
export const GroupParams = Type.Object({ group: pathName })
export const PersonParams = Type.Object({ group: pathName, uid: pathName })
export const NestedParams = Type.Object({ group: pathName, child: pathName })

export const Changed = results(GroupSummary, { message })
export const Created = results(Type.Pick(Group, ['cn']), { message })
export const Done = answer({ results: Type.Boolean(), message })
export const Nesting = answer({ results: Type.Pick(Group, ['cn', 'member']), message })
/** A group in a list: members and owners only with `detail`. */
export const ListedGroup = answer({
  ...GroupSummary.properties,
  ...Type.Partial(Type.Pick(Group, ['member', 'owner'])).properties,
})

export const Removed = answer({ removed: Type.Boolean(), results: Type.Pick(Group, ['cn']), message })
