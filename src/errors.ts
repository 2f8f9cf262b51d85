/**
 * Every refusal of the service, once: its name on the wire, its status and its default sentence.
 * Routes declare the ones they throw with `refusals(...)`; the error handler answers nothing else but these.
 */
const table = {
  InvalidInput: [400, 'The request is not valid.'],
  InvalidRedirectURI: [400, 'The redirect URI is not registered for this client.'],
  InvalidInvite: [400, 'The invite is no longer valid.'],
  InvalidKey: [400, 'The key is not a valid SSH public key.'],
  SelfNesting: [400, 'A group cannot be nested in itself.'],
  CurrentPasswordRequired: [400, 'The current password is required.'],
  Unauthorized: [401, 'Sign in first: the auth-token is missing, unknown or expired.'],
  InsufficientPermission: [401, 'You are not allowed to do this.'],
  LoginFailed: [401, 'The username or password is not correct.'],
  InvalidCode: [401, 'The code is not valid or has expired.'],
  TokenInvalid: [401, 'This link is not valid, was used already or has expired.'],
  OnboardingRequired: [401, 'Complete the open steps of your account first.'],
  GroupRequired: [403, 'This application is limited to members of certain groups.'],
  NotFound: [404, 'There is nothing here.'],
  MethodNotAllowed: [405, 'This method is not available here.'],
  AlreadyExists: [409, 'This name is taken.'],
  AlreadyMember: [409, 'The user is a member already.'],
  AlreadyOwner: [409, 'The user is an owner already.'],
  AlreadyNested: [409, 'The group is nested here already.'],
  NestingLoop: [409, 'Nesting this group would form a loop.'],
  LastMember: [409, 'A group keeps at least one member.'],
  LastAdmin: [409, 'The last administrator cannot be removed or locked.'],
  ProtectedGroup: [409, 'This group is part of the service and cannot be deleted.'],
  MailInUse: [409, 'The mail address belongs to another account.'],
  MobileInUse: [409, 'The phone number belongs to another account.'],
  Conflict: [409, 'Somebody changed this at the same time: read it again.'],
  PayloadTooLarge: [413, 'The request body is too large.'],
  UnsupportedMediaType: [415, 'Send application/json.'],
  TooManyRequests: [429, 'Too many requests: wait and try again.'],
  InternalError: [500, 'Something went wrong on our side.'],
  UpstreamFailure: [502, 'A system behind this service does not answer: try again later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalName = keyof typeof table
export const refusalNames = Object.keys(table) as RefusalName[]

/** Status and default sentence of a refusal, for documents and schemas. */
export function refusalOf(name: RefusalName): { status: number; message: string } {
  const [status, message] = table[name]
  return { status, message }
}

/**
 * A declared failure: thrown by services and adapters alike, answered as `{name, message}` with its status.
 * `message` is for the caller's eyes: it names a field or a thing, never the inside. `cause` is for the log.
 */
export class Refusal extends Error {
  override readonly name: RefusalName
  readonly status: number

  constructor(name: RefusalName, message?: string, options?: ErrorOptions) {
    super(message ?? table[name][1], options)
    this.name = name
    this.status = table[name][0]
  }
}

/** True for a refusal of one of `names`, or for any refusal without names. */
export function isRefusal(error: unknown, ...names: RefusalName[]): error is Refusal {
  return error instanceof Refusal && (names.length === 0 || names.includes(error.name))
}
