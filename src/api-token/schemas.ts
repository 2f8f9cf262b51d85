import Type from 'typebox'
import { answer, body, message, results } from '#src/http/replies.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\p{Cc}\\p{Cf}\\p{Cs}]*\\S[^\\p{Cc}\\p{Cf}\\p{Cs}]*$',
  description: 'What it is for.',
})
const scope = Type.Enum(['read', 'write'], { description: '`read` means GET only.' })

export const ApiToken = answer({
  id: Type.String(),
  name,
  scope,
  created_on: Type.Integer(),
  expires_at: Type.Integer(),
  last_used_on: Type.Union([Type.Integer(), Type.Null()], { description: 'To the minute.' }),
})
export const Listed = results(Type.Array(ApiToken))

export const NewApiToken = body({
  name,
  scope,
  expires_in_days: Type.Integer({ minimum: 1, maximum: 366 }),
})
export type NewApiToken = Type.Static<typeof NewApiToken>

export const Created = results(ApiToken, {
  token: Type.String({ description: 'Shown this once; send it as `Authorization: Bearer`.' }),
})
export const ApiTokenId = Type.Object({ id: Type.String({ maxLength: 64 }) })
export const Revoked = results(Type.Boolean(), { message })
