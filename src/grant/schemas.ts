import Type from 'typebox'
import { answer, message, results } from '#src/http/replies.ts'

/** What a person lets an application know (contract section 9, consent). */
export const Grant = answer({
  client_id: Type.String(),
  name: Type.String(),
  logo_uri: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  granted_on: Type.Integer({ description: 'First allowed, milliseconds.' }),
  last_used_on: Type.Optional(
    Type.Integer({
      description: 'Last opened in a session of its own, milliseconds; absent when no token is left.',
    }),
  ),
})

export const GrantList = results(Type.Array(Grant))
export const GrantOf = Type.Object({ client_id: Type.String({ maxLength: 128 }) })
export const Revoked = results(Type.Literal(true), { message })
