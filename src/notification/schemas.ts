import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, body, byCreation, next, paging, results } from '#src/http/replies.ts'

const filters = ['all_active', 'all', 'group', 'users'] as const

const filter_type = Type.Enum(filters, {
  description:
    'Who gets it: all active users, all users, the effective members of groups, or the users named.',
})
const active_only = Type.Boolean({ description: 'With `group` and `all`: active users only.' })

const said = {
  // CR and LF would begin another header (attacks row 36).
  subject: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]*[^\\p{Cc}\\p{Z}][^\\p{Cc}\\p{Zl}\\p{Zp}]*$',
  }),
  message: Type.String({
    minLength: 1,
    description: 'HTML; what is not safe in a mail (scripts, handlers, forms, remote styles) is taken out.',
  }),
}
const filter = {
  filter_type,
  filter_value: Type.Optional(
    Type.String({
      description:
        '`group`: names of groups, separated by commas. `users`: a JSON array of uids, as a string. Else unused.',
    }),
  ),
  active_only: Type.Optional(active_only),
}

export const NewNotification = body({ ...said, ...filter })
export type NewNotification = Static<typeof NewNotification>

export const Notification = answer({
  notification_id: Type.String({ format: 'uuid' }),
  created_by: Type.String({ description: 'uid of the sender.' }),
  created_on: Type.Integer({ description: 'Milliseconds since 1970.' }),
  subject: Type.String(),
  message: Type.String({ description: 'HTML as it is sent.' }),
  filter_type,
  filter_value: Type.String(),
  active_only,
  status: Type.Enum(['queued', 'sending', 'sent', 'failed'], {
    description: '`failed` when nothing could be delivered to anybody.',
  }),
  sent_count: Type.Integer(),
  failed_count: Type.Integer(),
  sent_at: Type.Optional(Type.Integer({ description: 'When the last recipient was done with.' })),
})
export type Notification = Static<typeof Notification>

export const ListQuery = Type.Object({
  ...paging,
  ...byCreation,
})
export const Listed = results(Type.Array(Notification), next)
export const Id = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const Message = body(said)
export type Message = Static<typeof Message>
export const Mail = results(
  answer({
    html: Type.String({ description: 'The whole mail.' }),
    text: Type.String({ description: 'The same for programs that show no HTML.' }),
  }),
)

export const Filter = body(filter)
export type Filter = Static<typeof Filter>
export const Counted = results(answer({ count: Type.Integer({ description: 'Different people.' }) }))

export const Recipients = results(
  answer({
    total: Type.Integer({ description: 'Named so far; all of them once `complete`.' }),
    complete: Type.Boolean({ description: 'Whether everybody who is to get it is named.' }),
    failed: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'uids that it could not be delivered to, 1000 at most; null a day after the last.',
    }),
  }),
)
