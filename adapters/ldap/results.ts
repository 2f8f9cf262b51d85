import { ResultCodeError } from 'ldapts'
import type { RefusalName } from '#src/errors.ts'
import { Refusal } from '#src/errors.ts'

/** What a caller was doing: it decides what a result code means where codes are used for several things. */
export type Occasion =
  | 'read'
  | 'create'
  | 'change'
  | 'remove'
  | 'addMember'
  | 'removeMember'
  | 'addOwner'
  | 'removeOwner'
  | 'password'
  | 'ownPassword'

type Row = readonly [RefusalName, message?: string]

const general: Readonly<Record<number, Row>> = {
  1: ['UpstreamFailure'],
  3: ['UpstreamFailure', 'The directory took too long: try again later.'],
  10: ['UpstreamFailure'],
  16: ['Conflict'],
  20: ['Conflict'],
  21: ['InvalidInput', 'The directory does not accept one of these values.'],
  32: ['NotFound'],
  34: ['InvalidInput', 'The name is not acceptable to the directory.'],
  51: ['UpstreamFailure'],
  52: ['UpstreamFailure'],
  64: ['InvalidInput', 'The name is not acceptable to the directory.'],
  66: ['Conflict'],
  68: ['AlreadyExists'],
  80: ['UpstreamFailure'],
  122: ['Conflict'],
}

const occasions: Readonly<Record<Occasion, Readonly<Record<number, Row>>>> = {
  read: {},
  // 32 here speaks of the parent: the base is gone, which is nothing the caller can help.
  create: {
    19: ['InvalidInput', 'The directory does not accept one of these values.'],
    32: ['InternalError'],
  },
  change: { 19: ['InvalidInput', 'The directory does not accept one of these values.'] },
  remove: {},
  addMember: { 20: ['AlreadyMember'] },
  removeMember: { 16: ['NotFound', 'This is not a member of the group.'], 65: ['LastMember'] },
  addOwner: { 20: ['AlreadyOwner'] },
  removeOwner: { 16: ['NotFound', 'This is not an owner of the group.'] },
  password: {
    19: ['InvalidInput', 'The password does not meet the password policy.'],
    53: ['InvalidInput', 'The directory refuses this password.'],
  },
  ownPassword: {
    19: ['InvalidInput', 'The password does not meet the password policy.'],
    53: ['LoginFailed', 'The current password is not correct.'],
  },
}

/** The reason slapo-ppolicy gives in its control (draft-behera-ldap-password-policy, section 6.2). */
const policyReasons: Readonly<Record<number, string>> = {
  3: 'The password may not be changed.',
  5: 'The password is too simple.',
  6: 'The password is too short.',
  7: 'The password was changed too recently.',
  8: 'The password was used before.',
}

/**
 * Network trouble. `closed`: the connection ended under the operation, so a read may be sent once more;
 * `timeout` and `unreachable` are final.
 */
export class LinkFailure extends Error {
  readonly kind: 'closed' | 'timeout' | 'unreachable'

  constructor(kind: LinkFailure['kind'], options?: ErrorOptions) {
    super(`The LDAP connection failed: ${kind}`, options)
    this.kind = kind
  }
}

/** ldapts throws network errors as plain Errors, told apart by their text alone, or as Node made them. */
export function linkFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ResultCodeError || error instanceof LinkFailure)
    return error
  if (/timed out$|^Connection timeout/.test(error.message))
    return new LinkFailure('timeout', { cause: error })
  if (/^Connection closed|^Socket /.test(error.message)) return new LinkFailure('closed', { cause: error })
  if (typeof (error as NodeJS.ErrnoException).code === 'string' && 'syscall' in error)
    return new LinkFailure('unreachable', { cause: error })
  return error
}

/** The LDAP result code behind an error or behind the refusal made of it. */
export function codeOf(error: unknown): number | undefined {
  if (error instanceof ResultCodeError) return error.code
  return error instanceof Refusal && error.cause instanceof ResultCodeError ? error.cause.code : undefined
}

/** slapd's own words, for telling which attribute clashes; never shown to a caller. */
export function diagnosticOf(error: unknown): string {
  const source = error instanceof Refusal ? error.cause : error
  return source instanceof Error ? source.message : ''
}

/** What the server or the network said, with the result code: for operators, at programs that they run. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = codeOf(error)
  return `${diagnosticOf(cause) || cause}${code === undefined ? '' : ` (${code})`}`
}

/**
 * The one place where result codes and network errors become refusals. The error stays as `cause` for the log;
 * what is neither is a fault of ours and is answered unchanged.
 */
export function refusalFor(error: unknown, occasion: Occasion, policyError?: number): unknown {
  if (error instanceof LinkFailure) return new Refusal('UpstreamFailure', undefined, { cause: error })
  const code = codeOf(error)
  if (code === undefined || error instanceof Refusal) return error
  const [name, message] = occasions[occasion][code] ?? general[code] ?? ['InternalError']
  const reason = policyError === undefined ? undefined : policyReasons[policyError]
  return new Refusal(name, reason ?? message, { cause: error })
}
