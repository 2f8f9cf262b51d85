import Type from 'typebox'
import { answer, body, byCreation, message, next, paging, results } from '#src/http/replies.ts'
import { NewUser } from '#src/user/schemas.ts'

const states = ['valid', 'used', 'revoked', 'expired'] as const
export type State = (typeof states)[number]

/** An invite as its creator and admins see it; what was mailed with it is shown to nobody. */
export const Invite = answer({
  token: Type.String(),
  created_by: Type.String(),
  created_on: Type.Integer(),
  expires_at: Type.Integer(),
  is_valid: Type.Boolean(),
  state: Type.Enum(states),
  mail: Type.Union([Type.String(), Type.Null()]),
  groups: Type.String({ description: 'A JSON array of group names, as a string.' }),
  used_by: Type.Optional(Type.String({ description: 'uid of the account that was made of it.' })),
  used_on: Type.Optional(Type.Integer()),
})
export type Invite = Type.Static<typeof Invite>

const assigned = {
  mail: Type.Optional(
    Type.Union([Type.String({ maxLength: 254 }), Type.Null()], {
      description: 'Address of the invitee, who is sent a link; null or empty: none.',
    }),
  ),
  groups: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 100,
      description: 'Names of groups that the new account joins.',
    }),
  ),
}
export const NewInvite = body({
  ...assigned,
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 365,
      description: 'Instead of what is configured; who is no administrator may not ask for longer than that.',
    }),
  ),
})
export type NewInvite = Type.Static<typeof NewInvite>
export const InviteChanges = body(assigned)
export type InviteChanges = Type.Static<typeof InviteChanges>

export const Created = answer({
  token: Type.String(),
  link: Type.String({ description: '<base>/login/invite/<token>' }),
  mail_sent: Type.Boolean({ description: 'Whether a link was handed over to the mail server.' }),
})
export const ListQuery = Type.Object({
  ...paging,
  ...byCreation,
  state: Type.Optional(Type.Enum(states)),
})
export const Listed = results(Type.Array(Invite), next)
export const Sent = answer({ mail_sent: Created.properties.mail_sent })
export const Updated = results(Invite)
export const Revoked = results(Type.Boolean())

const token = Type.String({ minLength: 1, maxLength: 128 })
export const TokenParams = Type.Object({ token })
export const MailTokenParams = Type.Object({ token, mailToken: token })

export const AddressGiven = body({ mail: Type.String({ minLength: 3, maxLength: 254 }) })
export const LinkSent = answer({ message })

const { uid, password, givenName, sn, mail } = NewUser.properties
/** The account's address is the one that the link was sent to, whatever `mail` says. */
export const Acceptance = body({ uid, password, givenName, sn, mail: Type.Optional(mail) })
export type Acceptance = Type.Static<typeof Acceptance>
export const Accepted = answer({
  user: Type.String({ description: 'uid of the new account.' }),
  token: Type.String({ description: 'The auth token, for the header auth-token.' }),
})
