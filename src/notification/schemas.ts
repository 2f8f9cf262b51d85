import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, body, newestFirst, next, paging, results } from '#src/http/replies.ts'

const filters = ['all_active', 'all', 'group', 'users'] as const

const filter_type = Type.Enum(filters, {
  description:
    'Who gets it: all active users, all users, the effective members of groups, or the users named.',
})
const active_only = Type.Boolean({ description: 'With `group` and `all`: active users only.' })

export const NewNotification = body({
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
  filter_type,
  filter_value: Type.Optional(
    Type.String({
      description:
        '`group`: names of groups, separated by commas. `users`: a JSON array of uids, as a string. Else unused.',
    }),
  ),
  active_only: Type.Optional(active_only),
})
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
  ...newestFirst,
})
export const Listed = results(Type.Array(Notification), next)
export const Id = Type.Object({ id: Type.String({ maxLength: 64 }) })
