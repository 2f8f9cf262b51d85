import Type from 'typebox'
import { answer, body, detail, message, paging, results } from '#src/http/replies.ts'

const uid = Type.String({ description: 'Username.' })
const dateOfBirth = Type.String({ description: 'YYYY-MM-DD' })
const mobile = Type.String({ description: 'Phone number; needed for one-time codes by SMS.' })
const sshPublicKey = Type.String({ description: 'SSH public keys, several joined by a newline.' })

/** All of a user: for the account itself and for admins. */
export const User = answer({
  uid,
  dn: Type.String(),
  givenName: Type.String(),
  sn: Type.String(),
  mail: Type.String(),
  mobile: Type.Optional(mobile),
  dateOfBirth: Type.Optional(dateOfBirth),
  sshPublicKey: Type.Optional(sshPublicKey),
  uidNumber: Type.Optional(Type.Integer()),
  isActive: Type.Boolean({ description: 'False means locked.' }),
  createTimestamp: Type.Optional(Type.String({ description: 'YYYYMMDDHHMMSSZ' })),
  password_must_change: Type.Boolean(),
})

/** What anybody signed in sees of somebody else (contract section 2). */
const publicFields = ['uid', 'dn', 'givenName', 'sn', 'mail', 'isActive'] as const
export type PublicUser = Pick<Type.Static<typeof User>, (typeof publicFields)[number]>

/** The minimal form of a list. */
const summaryFields = ['uid', 'mail', 'givenName', 'sn'] as const
export const UserSummary = Type.Pick(User, summaryFields)
export type UserSummary = Type.Static<typeof UserSummary>

/** A user as `GET /api/user/:uid` shows it: the last fields only to the account itself and to admins. */
export const VisibleUser = answer({
  ...Type.Pick(User, publicFields).properties,
  ...Type.Partial(Type.Omit(User, publicFields)).properties,
})

/** A user in a list: the last fields only with `detail`. */
export const ListedUser = answer({
  ...UserSummary.properties,
  ...Type.Partial(Type.Omit(User, summaryFields)).properties,
})

export const Me = answer({
  ...User.properties,
  memberOf: Type.Array(Type.String(), { description: 'DNs of the groups this user is listed in.' }),
  groups: Type.Array(Type.String(), { description: 'Names of all groups, nested ones included.' }),
  onboardingRequired: Type.Enum(['yes', 'no']),
  onboardingNeeds: Type.Array(Type.Enum(['tos', 'dob', 'password'])),
  preferredLanguage: Type.Optional(
    Type.String({ description: 'Language tag (BCP 47) of the language to speak to this person in.' }),
  ),
  impersonator: Type.Optional(
    Type.String({ description: 'The admin who acts as this user, in an impersonated session.' }),
  ),
})

export const ListQuery = Type.Object({
  ...detail,
  ...paging,
  sort: Type.Optional(Type.Enum(['uidNumber', 'createTimestamp', 'uid', 'sn', 'mail'])),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { description: 'With a `limit`, or a `sort` by uid, sn or mail.' }),
  ),
  state: Type.Optional(
    Type.Enum(['active', 'locked', 'must_change'], {
      description: 'Who can sign in, whom an administrator locked, or whose password must be changed first.',
    }),
  ),
})

export const Uid = Type.Object({ uid: Type.String({ minLength: 1, maxLength: 254 }) })

/** A password as it is chosen (contract section 1, limits). */
export const NewPassword = Type.String({ minLength: 8, maxLength: 128 })

const name = Type.String({ minLength: 1, maxLength: 128 })
const mail = Type.String({ minLength: 3, maxLength: 254 })
/** `null` or empty removes the attribute. */
const removable = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]))
const optional = { dateOfBirth: removable(10), mobile: removable(32), sshPublicKey: removable(65_536) }

export const NewUser = body({
  uid: Type.String({ minLength: 1, maxLength: 64 }),
  password: NewPassword,
  givenName: name,
  sn: name,
  mail,
  ...optional,
})
export type NewUser = Type.Static<typeof NewUser>

export const UserChanges = body({
  givenName: Type.Optional(name),
  sn: Type.Optional(name),
  mail: Type.Optional(mail),
  ...optional,
  preferredLanguage: removable(35),
})
export type UserChanges = Type.Static<typeof UserChanges>

export const PasswordChange = body({
  password: NewPassword,
  confirm: Type.String({ maxLength: 128, description: 'The same again.' }),
  current: Type.Optional(
    Type.String({ maxLength: 128, description: 'The password so far, checked on an own change.' }),
  ),
})
export type PasswordChange = Type.Static<typeof PasswordChange>

export const Acceptance = body({
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The version that was read; 409 when another is in force.' }),
  ),
})
export const Activation = body({ active: Type.Boolean() })
export const NewKey = body({ key: Type.String({ minLength: 1, maxLength: 16_384 }) })

export const Verification = answer({
  uid,
  emailVerified: Type.Boolean(),
  emailVerifiedAt: Type.Union([Type.Integer(), Type.Null()]),
  phoneVerified: Type.Boolean(),
  phoneVerifiedAt: Type.Union([Type.Integer(), Type.Null()]),
  tosAccepted: Type.Boolean(),
  tosAcceptedAt: Type.Union([Type.Integer(), Type.Null()]),
})

export const ConfirmationRequest = body({ kind: Type.Enum(['mail', 'mobile']) })
export const ConfirmationSent = answer({
  message,
  expires_at: Type.Integer({ description: 'When the code ends, milliseconds.' }),
})
export const Confirmation = body({
  code: Type.String({ minLength: 1, maxLength: 32, description: 'The six digits that were sent.' }),
})

const cn = Type.String({ description: 'Name of the group.' })
export const GroupsOfUser = results(
  Type.Array(
    answer({
      cn,
      via: Type.Array(cn, {
        description: 'One shortest chain of groups, from this one down to the one that lists the user.',
      }),
    }),
  ),
  { owned: Type.Array(cn, { description: 'Groups that name the user as an owner.' }) },
)

export const Stats = answer({
  totalUsers: Type.Integer(),
  activeUsers: Type.Integer(),
  inactiveUsers: Type.Integer(),
  totalGroups: Type.Integer(),
  recentSignups: Type.Array(Type.Pick(User, [...summaryFields, 'createTimestamp'])),
  inactiveList: Type.Array(UserSummary),
})

export const Created = results(answer({ uid, dn: Type.String() }))
export const Updated = results(User, { message })
export const Activated = answer({ uid, active: Type.Boolean(), message })
export const Deleted = answer({ uid, results: Type.Boolean() })
export const OwnPasswordSet = answer({ results: Type.Boolean() })
export const PasswordSet = answer({ results: Type.Boolean(), message })
export const KeyAdded = answer({ message: Type.Literal(true) })
export const Accepted = answer({ success: Type.Boolean() })
