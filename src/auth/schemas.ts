import Type from 'typebox'
import { answer, body, message, next, paging, results } from '#src/http/replies.ts'
import { NewPassword, Uid } from '#src/user/schemas.ts'

/** A password as it is typed at sign-in: too long is refused before anything is hashed (attacks row 10). */
export const TypedPassword = Type.String({ minLength: 1, maxLength: 128 })

export const Credentials = body({
  uid: Type.String({ minLength: 1, maxLength: 254, description: 'Username or mail address.' }),
  password: TypedPassword,
})

export const SignedIn = answer({
  login: Type.Boolean(),
  token: Type.String({ description: 'The auth token, for the header auth-token.' }),
  message,
})

export const Session = answer({
  id: Type.String(),
  created_on: Type.Integer(),
  last_used_on: Type.Integer(),
  address: Type.String(),
  agent: Type.String(),
  current: Type.Boolean({ description: 'The session this request was made in.' }),
})

export const Said = answer({ message })
export const Ended = answer({ results: Type.Boolean(), message })

const name = Type.String({ minLength: 1, maxLength: 128 })
export const NameQuery = Type.Object({
  givenName: name,
  sn: name,
  dob: Type.Optional(
    Type.String({
      pattern: '^(\\d{4}-\\d\\d-\\d\\d)?$',
      description: 'YYYY-MM-DD, for variants with the year.',
    }),
  ),
})
export const Suggestions = answer({ suggestions: Type.Array(Type.String()) })

const login = Type.String({ minLength: 1, maxLength: 254, description: 'Username or mail address.' })
const method = Type.Enum(['email', 'sms'])
export const CodeRequest = body({ login, method })
export const CodeRequested = answer({ message, method, expires_at: Type.Integer() })
export const CodeCredentials = body({
  login,
  code: Type.String({ minLength: 1, maxLength: 32, description: 'The six digits that were sent.' }),
})
export const SignedInByCode = answer({ login: Type.Boolean(), token: SignedIn.properties.token })

export const ResetRequest = body({ mail: Type.String({ minLength: 1, maxLength: 254 }) })
export const ResetParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })
export const ResetChange = body({
  password: NewPassword,
  confirm: Type.String({ maxLength: 128, description: 'The same again.' }),
})

export const Target = Uid
export const ImpersonationReason = body({
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      description: 'Why; kept in the audit trail with the beginning of the impersonation.',
    }),
  ),
})
export const Impersonating = answer({
  uid: Type.String(),
  temp_password: Type.String({ description: 'Signs in as that user, beside their own password.' }),
  expires_at: Type.Integer(),
})
export const ImpersonationEnded = answer({
  message,
  revoked: Type.Integer({ description: 'Sessions ended; at least 1 when a temporary password was active.' }),
})

export const LockoutQuery = Type.Object(paging)
export const Lockouts = results(
  Type.Array(
    answer({
      uid: Type.String(),
      until: Type.Integer({ description: 'When the doors open by themselves.' }),
    }),
  ),
  next,
)
