import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, body, message, next, oldestFirst, paging, results } from '#src/http/replies.ts'

const milliseconds = Type.Integer({ description: 'Milliseconds.' })

export const Request = answer({
  id: Type.String({ description: 'UUID' }),
  uid: Type.String({ description: 'Who asks.' }),
  resourceId: Type.String(),
  slug: Type.String(),
  name: Type.String({ description: 'Of the resource, as it was when it was asked for.' }),
  note: Type.String(),
  state: Type.Enum(['pending', 'approved', 'denied', 'cancelled']),
  created_on: milliseconds,
  decided_by: Type.Optional(Type.String()),
  decided_on: Type.Optional(milliseconds),
  decisionNote: Type.Optional(Type.String()),
  groupCn: Type.Optional(Type.String({ description: 'The group that was joined.' })),
})
/** As stored: `granting` is the group that an approval has begun to give. */
export type AccessRequest = Static<typeof Request> & { granting?: string }

const note = Type.String({ maxLength: 1000 })
export const NewRequest = body({
  slug: Type.String({ minLength: 1, maxLength: 128 }),
  note: Type.Optional(note),
})
export type NewRequest = Static<typeof NewRequest>
export const Decision = Type.Union([body({ decisionNote: Type.Optional(note) }), Type.Null()])
export const Id = Type.Object({ id: Type.String({ maxLength: 128 }) })
export const ListQuery = Type.Object({ ...paging, ...oldestFirst })
export const Requests = results(Type.Array(Request), next)
export const Changed = results(Request, { message })
