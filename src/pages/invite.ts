import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { suggestUsernames } from '#src/auth/suggestions.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import { limits } from '#src/http/limits.ts'
import { acceptInvite, addressInvited, openInvite, requestLink } from '#src/invite/acceptance.ts'
import { Acceptance, AddressGiven, MailTokenParams, TokenParams } from '#src/invite/schemas.ts'
import { PasswordChange } from '#src/user/schemas.ts'
import { letIn, ownArrival, visitorOf } from './arrival.ts'
import { requireSame } from './new-password.ts'
import { tokenPage } from './token-page.ts'

const url = '/login/invite'
const config = { rateLimit: { ...limits.invite, hook: 'preHandler' as const } }

const Form = Type.Object({
  ...Type.Omit(Acceptance, ['mail']).properties,
  confirm: PasswordChange.properties.confirm,
})
type Typed = Partial<Pick<Type.Static<typeof Form>, 'uid' | 'givenName' | 'sn'>>
type Failed = { status: number; error: string }

/** Invites (contract section 5): a page that asks for an address, and the form behind the link that is sent to it. */
export async function invitePages(app: App, deps: Deps) {
  tokenPage(app)

  app.get(`${url}/:token`, { schema: { params: TokenParams } }, ({ params }, reply) =>
    askAddress(params, reply),
  )

  app.post(
    `${url}/:token`,
    {
      config,
      schema: { params: TokenParams, body: Type.Object(AddressGiven.properties) },
      errorHandler: askAddressAgain,
    },
    async ({ params, body: { mail } }, reply) => {
      await requestLink(deps, params.token, mail)
      return reply.page('invite-sent', { mail })
    },
  )

  app.get(`${url}/:token/:mailToken`, { schema: { params: MailTokenParams } }, ({ params }, reply) =>
    showForm(params, reply),
  )

  app.post(
    `${url}/:token/:mailToken`,
    { config, schema: { params: MailTokenParams, body: Form }, errorHandler: showFormAgain },
    async (request, reply) => {
      const { confirm, ...input } = request.body
      requireSame({ password: input.password, confirm })
      const opened = await acceptInvite(deps, request.params, input, visitorOf(request))
      return letIn(await ownArrival(request, reply, deps), { opened, amr: ['pwd'] }, reply, deps)
    },
  )

  async function askAddress(
    { token }: { token: string },
    reply: FastifyReply,
    typed?: Failed & { mail: string },
  ) {
    const { mail: bound } = await openInvite(deps, token)
    const { status = 200, ...shown } = typed ?? {}
    const form = { action: `${url}/${token}` }
    return reply.page('invite-mail', { form, bound: bound !== null, ...shown }, { status })
  }

  async function askAddressAgain(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error)
    if (!refusal || !isRefusal(refusal, 'InvalidInput', 'TooManyRequests')) throw error
    const mail = typedIn(request, 'mail')
    const said =
      refusal.name === 'InvalidInput'
        ? 'Enter the whole address, and the one that this invite is for.'
        : refusal.message
    const failed = { status: refusal.status, error: said, mail: mail ?? '' }
    return askAddress(request.params as { token: string }, reply, failed)
  }

  type Link = { token: string; mailToken: string }

  async function showForm(
    { token, mailToken }: Link,
    reply: FastifyReply,
    {
      status = 200,
      typed = {},
      suggestions = [],
      error,
    }: Partial<Failed> & { typed?: Typed; suggestions?: string[] } = {},
  ) {
    const mail = await addressInvited(deps, token, mailToken)
    const form = { action: `${url}/${token}/${mailToken}` }
    const shown = { form, mail, typed, suggestions, ...(error ? { error } : {}) }
    return reply.page('invite-form', shown, { status })
  }

  /** The form with what was typed, but the passwords; a name that is taken with some that are free. */
  async function showFormAgain(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error)
    const known = ['InvalidInput', 'AlreadyExists', 'MailInUse', 'Conflict', 'TooManyRequests'] as const
    if (!refusal || !isRefusal(refusal, ...known)) throw error
    const [uid, givenName, sn] = (['uid', 'givenName', 'sn'] as const).map((field) => typedIn(request, field))
    const typed = { ...(uid ? { uid } : {}), ...(givenName ? { givenName } : {}), ...(sn ? { sn } : {}) }
    const taken = refusal.name === 'AlreadyExists' && givenName && sn
    return showForm(request.params as Link, reply, {
      status: refusal.status,
      error: taken ? 'This username is taken.' : inWords(error, refusal.message),
      typed,
      suggestions: taken ? await suggestUsernames(deps, { givenName, sn }) : [],
    })
  }
}

function typedIn({ body }: FastifyRequest, field: string): string | undefined {
  const value = (body as Record<string, unknown> | undefined)?.[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const asked: Record<string, string> = {
  uid: 'Choose a username.',
  givenName: 'Enter your first name.',
  sn: 'Enter your last name.',
  password: 'Choose a password of 8 to 128 characters.',
  confirm: 'Type the password again.',
}
const labels: Record<string, string> = {
  uid: 'The username',
  givenName: 'The first name',
  sn: 'The last name',
}

/** A refusal in the words of the form, where it names a field of the API. */
function inWords({ validation }: FastifyError, message: string): string {
  const [fault] = validation ?? []
  if (fault) {
    const field = fault.instancePath.slice(1) || String(fault.params.missingProperty)
    return asked[field] ?? message
  }
  const [field = '', ...rest] = message.split(' ')
  return labels[field] ? [labels[field], ...rest].join(' ') : message
}
