/**
 * Passwords forgotten. A link goes to the address that the directory has, and opens that one account once (attacks rows 12
 * and 14). The store uses it up before the password is set, and gives it back when the directory refuses the password.
 */
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { deliver } from '#src/mail/deliver.ts'
import { endAccess } from '#src/user/ending.ts'
import { sameAddress } from '#src/user/verification.ts'

type Needs = Pick<Deps, 'users' | 'sessions' | 'store' | 'mail' | 'config' | 'audit'>

/** Sends a link, after the answer: whether there is such an account cannot be told from it or its time. */
export async function requestReset(
  deps: Needs & Pick<Deps, 'background'>,
  { mail, address }: { mail: string; address: string },
): Promise<void> {
  const entry = await deps.users.findByLogin(mail)
  deps.background.run('sending a reset link', async () => entry && sendLink(deps, entry.uid, address))
}

/**
 * Sets the password of the account that the token is for, and ends everything that was opened with the old one. Throws
 * TokenInvalid; InvalidInput where the directory refuses the password, and the token is good for another try.
 */
export async function resetPassword(
  deps: Needs,
  token: string,
  { password, confirm, address }: { password: string; confirm: string; address: string },
): Promise<void> {
  const { users, store, audit } = deps
  if (confirm !== password) throw new Refusal('InvalidInput', 'confirm must be the same as password.')
  const reset = await store.resets.take(token)
  if (!reset) throw new Refusal('TokenInvalid')
  const { uid } = reset
  try {
    const entry = await users.find(uid)
    if (!entry?.isActive || !sameAddress(entry.mail, reset.mail)) throw new Refusal('TokenInvalid')
    if (!(await users.setPassword(uid, password, { mustChange: false }))) throw new Refusal('TokenInvalid')
  } catch (error) {
    await store.resets.giveBack(token, reset)
    throw error
  }
  await endAccess(deps, uid)
  audit.append({ actor: uid, action: 'user.reset', target: uid, outcome: 'ok', address })
}

async function sendLink(deps: Needs, uid: string, from: string): Promise<void> {
  const { users, sessions, store, config, audit } = deps
  const generation = await sessions.generation(uid)
  const entry = await users.find(uid)
  const token =
    entry?.isActive && entry.mail
      ? await store.resets.issue(uid, { mail: entry.mail, generation })
      : undefined
  if (!entry || !token) return
  audit.append({ actor: uid, action: 'user.reset-request', target: uid, outcome: 'ok', address: from })
  await deliver(deps, entry.mail, {
    subject: `Choose a new password for ${config.branding.name}`,
    before: [`Somebody, most likely you, asked for a new password for the account ${uid}.`],
    link: { label: 'Choose a new password', href: `${config.oauth.issuer}/login/resetpassword/${token}` },
    after: [
      'The link works once, for 24 hours. If it was not you, do nothing: your password stays as it is.',
    ],
  })
}
