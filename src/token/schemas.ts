import type { Static } from 'typebox'
import Type from 'typebox'
import { answer, detail, newestFirst, next, paging, results } from '#src/http/replies.ts'
import { Invite } from '#src/invite/schemas.ts'

/** The interface's types of tokens, all that are listed. */
export const tokenTypes = ['InviteToken', 'PasswordResetToken'] as const
export type TokenType = (typeof tokenTypes)[number]

const { token: _, ...invite } = Invite.properties

/** A token record; the optional fields come with `detail`, where the type has them. */
export const Token = answer({
  token: Type.String({
    description: 'Of an invite the token; of a password reset a public id, never the secret.',
  }),
  created_by: invite.created_by,
  created_on: invite.created_on,
  is_valid: invite.is_valid,
  expires_at: Type.Optional(invite.expires_at),
  state: Type.Optional(invite.state),
  mail: Type.Optional(invite.mail),
  groups: Type.Optional(invite.groups),
})
export type Token = Static<typeof Token>

export const Types = results(Type.Array(Type.String()))
export const ListQuery = Type.Object({
  ...detail,
  ...paging,
  ...newestFirst,
})
export type ListQuery = Static<typeof ListQuery>
export const Listed = results(Type.Array(Token), next)

const name = Type.String({ maxLength: 64, description: tokenTypes.join(' or ') })
export const NameParams = Type.Object({ name })
export const TokenParams = Type.Object({ name, token: Type.String({ maxLength: 128 }) })
