/**
 * The device grant (RFC 8628) as the library runs it, with our pages in its places. Whoever enters a code is signed in
 * (device-pages.ts); the page that shows what asks is consent as well, so that nobody is asked twice.
 */
import type { Configuration, DeviceCode, ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { accountOf } from '#src/pages/person.ts'
import { isAllowed } from './account.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { applicationOf } from './failures.ts'
import { paths } from './paths.ts'
import { GroupNotAllowed } from './policy.ts'

type Needs = Pick<Deps, 'accounts' | 'audit' | 'metrics'>
type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>

export function deviceFlow(deps: Needs): DeviceFlow {
  return {
    enabled: true,
    // RFC 8628 section 6.1: twenty consonants, eight of them: 34 bits. Guesses are counted (device-guesses.ts).
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: (ctx) => ({ address: exchangeOf(ctx.req).address }),
    userCodeInputSource: (ctx, _form, _out, error) => askForCode(ctx, error, deps),
    userCodeConfirmSource: (ctx, _form, client, info, code) =>
      askToConfirm(ctx, { client: client as OurClient, code, address: String(info.address ?? '') }, deps),
    successSource: (ctx) => tellOutcome(ctx, true, deps),
  }
}

/** What the library leaves out of its answers, and what is counted and noted. */
export function listenToDevices(
  provider: Provider,
  { metrics, store }: Pick<Deps, 'metrics' | 'store'>,
): void {
  provider.on('device_authorization.success', (_ctx, body) => {
    Object.assign(body, { interval: store.provider.devicePollingSeconds })
    metrics.deviceCodes.inc({ outcome: 'asked' })
  })
  const refused = (ctx: KoaContextWithOIDC, error: ErrorOut & { error_detail?: string }) => {
    const detail = { client_id: ctx.oidc.client?.clientId, error: error.error, detail: error.error_detail }
    exchangeOf(ctx.req).log.info(detail, 'a request of a device was refused')
  }
  provider.on('device_authorization.error', refused)
  provider.on('code_verification.error', refused)
  provider.on('device_resume.error', refused)
}

/** The page where a code is entered, again with what was wrong with the one before. */
async function askForCode(ctx: KoaContextWithOIDC, error: unknown, deps: Needs): Promise<void> {
  const { name, status = 500 } = (error ?? { status: 200 }) as { name?: string; status?: number }
  if (status >= 500) return // middleware.ts answers
  if (error instanceof GroupNotAllowed) return tellGroups(ctx, deps)
  if (name === 'AbortedError') return tellOutcome(ctx, false, deps)
  const hidden = { xsrf: stateOf(ctx).secret }
  const typed = ctx.oidc.params?.user_code
  answerWith(ctx, (reply) => {
    const { user_code: given = typed } = reply.request.query as { user_code?: unknown }
    const code = typeof given === 'string' ? given.slice(0, 32) : ''
    const page = { form: { action: paths.code_verification, hidden }, ...(code ? { code } : {}) }
    const said = error ? { error: wrong[name ?? ''] ?? tooLate } : {}
    return reply.page('device-code', { ...page, ...said }, { status: error ? 400 : 200 })
  })
}

const wrong: Record<string, string> = {
  NoCodeError: 'Enter the code that your device shows.',
  NotFoundError: 'There is no such code. Look at your device and type it again.',
  ExpiredError: 'This code has expired. Start again on your device and enter the new one.',
  AlreadyUsedError: 'This code was used already. If you still need one, start again on your device.',
  InvalidGrant: 'This code was used already. If you still need one, start again on your device.',
}
const tooLate = 'This page was open too long. Enter the code once more, or start again on your device.'

type Asking = { client: OurClient; code: string; address: string }

/** RFC 8628 section 5.4: who asks for what, for whom, and the code to compare, before anything is given. */
async function askToConfirm(
  ctx: KoaContextWithOIDC,
  { client, code, address }: Asking,
  deps: Needs,
): Promise<void> {
  const account = await deps.accounts.find(ctx.oidc.session?.accountId ?? '')
  if (!account) throw new Error('a code is confirmed by nobody')
  if (!(await isAllowed(account, client))) return tellGroups(ctx, deps)
  const { params } = ctx.oidc.deviceCode as DeviceCode & { params: { scope?: string } }
  const page = {
    form: { action: paths.code_verification, hidden: { xsrf: stateOf(ctx).secret, user_code: code } },
    switch: asSomebodyElse(code),
    application: applicationOf(client),
    account: accountOf(account.entry),
    scopes: (params.scope ?? '').split(' ').filter(Boolean),
    ...{ code, address },
  }
  answerWith(ctx, (reply) => reply.page('device-confirm', page))
}

/** The person is in no group that the application is limited to. */
async function tellGroups(ctx: KoaContextWithOIDC, { accounts, audit }: Needs): Promise<void> {
  const { client, account, page } = await standing(ctx, { accounts })
  if (!client || !account) throw new Error('groups are asked of nobody')
  note(ctx, 'refused', { audit }, { error: 'GroupRequired' })
  const shown = {
    application: applicationOf(client),
    account: accountOf(account.entry),
    groups: client.allowed_groups,
    switch: asSomebodyElse(page),
  }
  answerWith(ctx, (reply) => reply.page('group-required', shown, { status: 403 }))
}

async function tellOutcome(ctx: KoaContextWithOIDC, allowed: boolean, deps: Needs): Promise<void> {
  const { client, account } = await standing(ctx, deps)
  note(ctx, allowed ? 'ok' : 'refused', deps)
  deps.metrics.deviceCodes.inc({ outcome: allowed ? 'allowed' : 'denied' })
  const shown = {
    allowed,
    ...(client ? { application: applicationOf(client) } : {}),
    ...(account ? { account: accountOf(account.entry) } : {}),
  }
  answerWith(ctx, (reply) => reply.page('device-done', shown))
}

async function standing({ oidc }: KoaContextWithOIDC, { accounts }: Pick<Deps, 'accounts'>) {
  const { deviceCode, session, provider, params } = oidc
  const [client, account] = await Promise.all([
    oidc.client ?? (deviceCode?.clientId ? provider.Client.find(deviceCode.clientId) : undefined),
    session?.accountId ? accounts.find(session.accountId) : undefined,
  ])
  return { client: client as OurClient | undefined, account, page: String(params?.user_code ?? '') }
}

/** Signs out and comes back here with the same code. */
function asSomebodyElse(code: string) {
  return {
    action: '/logout',
    hidden: { return_to: `${paths.code_verification}?${new URLSearchParams({ user_code: code })}` },
  }
}

function note(
  ctx: KoaContextWithOIDC,
  outcome: 'ok' | 'refused',
  { audit }: Pick<Deps, 'audit'>,
  detail: Record<string, unknown> = {},
): void {
  const { session, deviceCode, client } = ctx.oidc
  if (!session?.accountId) return
  const target = client?.clientId ?? deviceCode?.clientId ?? ''
  const { address } = exchangeOf(ctx.req)
  audit.append({ actor: session.accountId, action: 'device', target, outcome, address, detail })
}

function stateOf({ oidc }: KoaContextWithOIDC): { secret: string } {
  return oidc.session?.state as { secret: string }
}

type Answer = NonNullable<ReturnType<typeof exchangeOf>['answer']>

function answerWith(ctx: KoaContextWithOIDC, answer: Answer): void {
  ctx.respond = false
  exchangeOf(ctx.req).answer = answer
}
