import type { Static } from 'typebox'
import Type from 'typebox'
import type { ClientRecord } from '#src/client/schemas.ts'
import { Client, ClientChanges, NewClient } from '#src/client/schemas.ts'
import { answer, body, detail, message, next, oldestFirst, paging, results } from '#src/http/replies.ts'

export const kinds = ['site', 'host', 'service', 'oauth'] as const
export const Kind = Type.Enum([...kinds])
export type Kind = Static<typeof Kind>

const id = Type.String({ minLength: 1, maxLength: 128 })
const slug = Type.String({
  maxLength: 64,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  description: 'Unique; made from the name when it is left out.',
})
const owner = Type.Union([Type.String({ maxLength: 256 }), Type.Null()], {
  description: 'uid of whoever decides access requests beside the directory admins.',
})
const short = Type.String({ maxLength: 2000 })
const port = Type.Integer({ minimum: 1, maximum: 65_535 })

/** Metadata that everybody may see (contract section 11). */
const publicMetadata = {
  isPublic: Type.Boolean({ description: 'Everybody can reach it.' }),
  address: Type.String({ maxLength: 2000, description: 'URL or host name; what lies below inherits it.' }),
  ip: Type.String({ maxLength: 64 }),
  port,
  sshPort: port,
  icon: Type.String({ maxLength: 2000, description: 'A name or an http(s) URL.' }),
  tagline: Type.String({ maxLength: 300 }),
  requestable: Type.Boolean({ description: 'Whoever cannot reach it may ask for access.' }),
  docs: Type.String({ maxLength: 2000, description: 'http(s) URL.' }),
}
export const PublicMetadata = answer(Type.Partial(Type.Object(publicMetadata)).properties)
export type PublicMetadata = Static<typeof PublicMetadata>
export const publicKeys = Object.keys(publicMetadata) as (keyof PublicMetadata)[]

const metadata = Type.Object(Type.Partial(Type.Object(publicMetadata)).properties, {
  additionalProperties: Type.Union([short, Type.Number(), Type.Boolean()]),
  maxProperties: 50,
  description:
    'Other keys are seen by directory admins only; none may speak of a secret, password, token or key.',
})
export type Metadata = PublicMetadata & Record<string, string | number | boolean | undefined>

const own = {
  id: Type.String(),
  kind: Kind,
  name: Type.String(),
  slug: Type.String(),
  owner: Type.Union([Type.String(), Type.Null()]),
  description: Type.String(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_by: Type.String(),
  created_on: Type.Integer({ description: 'Milliseconds.' }),
  updated_by: Type.String(),
  updated_on: Type.Integer({ description: 'Milliseconds.' }),
}
type Stored = Omit<Static<ReturnType<typeof answer<typeof own>>>, 'metadata'> & { metadata: Metadata }
/** A resource as stored. One of kind `oauth` is an OAuth client with all its fields, under the id it has as a client. */
export type ResourceRecord = Stored | OAuthRecord
export type OAuthRecord = Stored & { kind: 'oauth' } & ClientRecord

/** A resource as directory admins see it; the fields of an OAuth client only for kind `oauth`. */
export const Resource = answer({
  ...Type.Partial(Client).properties,
  ...own,
  parents: Type.Array(Type.String(), { description: 'Their ids, the oldest edge first.' }),
})
export type Resource = Static<typeof Resource>

const parentsOfNew = {
  parents: Type.Optional(Type.Array(id, { maxItems: 50, uniqueItems: true, description: 'Ids.' })),
  parentId: Type.Optional(id),
  parentSlug: Type.Optional(slug),
}
const beside = {
  slug: Type.Optional(slug),
  owner: Type.Optional(owner),
  metadata: Type.Optional(metadata),
}
export const NewResource = body({ ...NewClient.properties, kind: Kind, ...beside, ...parentsOfNew })
export type NewResource = Static<typeof NewResource>
export const ResourceChanges = body({ ...ClientChanges.properties, ...beside })
export type ResourceChanges = Static<typeof ResourceChanges>

export const Edge = answer({
  id: Type.String(),
  parentId: Type.String(),
  childId: Type.String(),
  relation: Type.String(),
  created_by: Type.String(),
  created_on: Type.Integer({ description: 'Milliseconds.' }),
})
export type Edge = Static<typeof Edge>
export const NewEdge = body({
  parentId: id,
  childId: id,
  relation: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,31}$',
      description: 'What the parent does. Default: contains.',
    }),
  ),
})
export type NewEdge = Static<typeof NewEdge>

export const AccessLevel = Type.Enum(['access', 'admin'])
export type AccessLevel = Static<typeof AccessLevel>
export const Link = answer({
  id: Type.String(),
  resourceId: Type.String(),
  groupCn: Type.String(),
  accessLevel: AccessLevel,
  created_by: Type.String(),
  created_on: Type.Integer({ description: 'Milliseconds.' }),
})
export type Link = Static<typeof Link>
export const NewLink = body({
  resourceId: id,
  groupCn: Type.String({ minLength: 1, maxLength: 256 }),
  accessLevel: Type.Optional(Type.Enum(['access', 'admin'], { description: 'Default: access.' })),
})
export type NewLink = Static<typeof NewLink>

export const Id = Type.Object({ id: Type.String({ maxLength: 128 }) })
const listing = { ...paging, ...oldestFirst }
export const ResourceQuery = Type.Object({ ...listing, kind: Type.Optional(Kind) })
export const EdgeQuery = Type.Object({ ...listing, resourceId: Type.Optional(id) })
export const LinkQuery = Type.Object({
  ...listing,
  resourceId: Type.Optional(id),
  groupCn: Type.Optional(Type.String({ maxLength: 256 })),
})

const secret = Type.String({ description: 'Shown this once, for a client that has one.' })
export const Resources = results(Type.Array(Resource), next)
export const OneResource = results(Resource)
export const CreatedResource = results(Resource, { client_secret: Type.Optional(secret), message })
export const ChangedResource = results(Resource, { message })
export const RotatedSecret = results(answer({ id: Type.String() }), { client_secret: secret, message })
export const Edges = results(Type.Array(Edge), next)
export const MadeEdge = results(Edge, { message })
export const Links = results(Type.Array(Link), next)
export const MadeLink = results(Link, { message })
export const Gone = answer({ id: Type.String(), message })

const level = { groupCn: Type.String(), accessLevel: AccessLevel }
const briefly = { id: Type.String(), kind: Kind, name: Type.String(), slug: Type.String() }
const via = Type.Array(Type.String(), {
  description: 'One shortest chain of groups, from the linked one down to the one that lists the person.',
})
export const AccessRow = answer({
  ...briefly,
  isPublic: Type.Boolean({ description: 'Everybody can reach it, whatever the count.' }),
  groups: Type.Array(answer(level)),
  count: Type.Integer({ description: 'Distinct users who are effectively in any of the groups.' }),
  users: Type.Optional(Type.Array(Type.String(), { description: 'With `detail`: their DNs.' })),
})
export type AccessRow = Static<typeof AccessRow>
export const AccessSummary = results(Type.Array(AccessRow), next)
export const AccessQuery = Type.Object({ ...listing, ...detail })
export const Person = Type.Object({ uid: Type.String({ minLength: 1, maxLength: 256 }) })
export const UserAccess = results(
  Type.Array(
    answer({
      ...briefly,
      address: Type.Optional(Type.String()),
      accessLevel: Type.Enum(['access', 'admin', 'public']),
      via,
      groups: Type.Array(answer({ ...level, via }), {
        description: 'Every group that grants it, the best first.',
      }),
    }),
  ),
  {
    uid: Type.String(),
    isActive: Type.Boolean({ description: 'False: locked, and reaches nothing until unlocked.' }),
  },
)
export type UserAccess = Static<typeof UserAccess>
