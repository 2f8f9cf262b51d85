import { errors, interactionPolicy } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { isAllowed } from './account.ts'
import { accountPrompt } from './chooser.ts'
import { subjectOf } from './claims.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'

const { base, Check, Prompt } = interactionPolicy

/** Somebody outside the client's allowed_groups: 403, shown by us and never sent to the client (interface, Rules 3). */
export class GroupNotAllowed extends errors.OIDCProviderError {
  constructor() {
    super(403, 'access_denied')
    Object.assign(this, {
      allow_redirect: false,
      error_description: 'You are not in a group that may use this application.',
    })
  }
}

/** What stands between a request and its code, in this order: signed in, as whom one means to be, in an allowed group, allowed to the client. */
export function policy({ accounts, config }: Pick<Deps, 'accounts' | 'config'>) {
  const prompts = base()

  // A session whose account was locked or deleted is no session.
  prompts.get('login')?.checks.add(
    new Check('account_gone', 'End-User authentication is required', 'login_required', ({ oidc }) => {
      return oidc.session?.accountId !== undefined && !oidc.account
    }),
  )
  const hint = prompts.get('login')?.checks.get('id_token_hint')
  if (hint) hint.check = async ({ oidc }) => hintsAtSomebodyElse(oidc, { accounts, config })
  const asked = prompts.get('login')?.checks.get('claims_id_token_sub_value')
  if (asked)
    asked.check = async ({ oidc: { account, claims } }) => {
      const sub = claims.id_token?.sub
      return !!sub && 'value' in sub && !(await isCalled(sub.value, account, { accounts, config }))
    }

  prompts.add(
    new Prompt(
      { name: 'groups', requestable: false },
      new Check('group_required', 'membership of an allowed group is required', async ({ oidc }) => {
        const account = oidc.account && (await accounts.find(oidc.account.accountId))
        if (!account || !(await isAllowed(account, oidc.client as OurClient))) throw new GroupNotAllowed()
        return false
      }),
    ),
    1,
  )
  prompts.add(accountPrompt({ accounts, config }), 1)

  const consent = prompts.get('consent')
  // RFC 8252 section 8.6 asks of native clients each time, prompt=consent asks anew; but not whoever has just answered.
  for (const reason of ['native_client_prompt', 'consent_prompt']) {
    const check = consent?.checks.get(reason)
    if (!check) throw new Error(`the library no longer asks for ${reason}`)
    const asks = check.check
    check.check = (ctx) => !exchangeOf(ctx.req).approved && asks(ctx)
  }
  return prompts
}

type Hinting = { entities: { IdTokenHint?: { payload: { sub?: string } } }; account?: { accountId: string } }

/** `id_token_hint` names a subject, which need not be the uid (setting oauth.subject). */
async function hintsAtSomebodyElse(
  { entities, account }: Hinting,
  deps: Pick<Deps, 'accounts' | 'config'>,
): Promise<boolean> {
  return !!entities.IdTokenHint && !(await isCalled(entities.IdTokenHint.payload.sub, account, deps))
}

/** Whether `sub` is what clients call this account. */
async function isCalled(
  sub: unknown,
  account: { accountId: string } | undefined,
  { accounts, config }: Pick<Deps, 'accounts' | 'config'>,
): Promise<boolean> {
  const known = account && (await accounts.find(account.accountId))
  return known !== undefined && subjectOf(known.entry, config) === sub
}
