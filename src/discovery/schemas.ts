import type { Static } from 'typebox'
import Type from 'typebox'
import { Kind, PublicMetadata } from '#src/directory/schemas.ts'
import { answer, next, oldestFirst, paging, results } from '#src/http/replies.ts'

const seen = {
  id: Type.String(),
  kind: Kind,
  name: Type.String(),
  slug: Type.String(),
  description: Type.String(),
  metadata: PublicMetadata,
  address: Type.Optional(
    Type.String({ description: 'Its own, else that of the nearest ancestor that has one.' }),
  ),
}
export const accessLevel = Type.Enum(['access', 'admin', 'public'], {
  description: 'public: reached by everybody, and by no group of theirs.',
})
export const via = Type.Array(Type.String(), {
  description: 'One shortest chain of groups, from the linked one down to the one that lists the person.',
})

/** A resource within reach. */
export const Reached = answer({ ...seen, accessLevel, via })
export type Reached = Static<typeof Reached>
/** A resource of the catalogue. */
export const Listed = answer({
  ...seen,
  hasAccess: Type.Boolean(),
  requestable: Type.Boolean({ description: 'The caller may ask for access.' }),
})
export type Listed = Static<typeof Listed>
const Node = answer({
  id: Type.String(),
  kind: Kind,
  name: Type.String(),
  slug: Type.String(),
  hasAccess: Type.Boolean(),
})
const Tie = answer({ parentId: Type.String(), childId: Type.String(), relation: Type.String() })

export const ListQuery = Type.Object({ ...paging, ...oldestFirst })
export const Slug = Type.Object({ slug: Type.String({ maxLength: 128 }) })
export const Mine = results(Type.Array(Reached), next)
export const Catalogue = results(Type.Array(Listed), next)
export const OneListed = results(Listed)
export const Graph = results(answer({ nodes: Type.Array(Node), edges: Type.Array(Tie) }))
