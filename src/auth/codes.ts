/**
 * One-time codes, sent where the directory says and nowhere else (attacks row 5). By mail the answer is the same for
 * everybody and leaves before anything is sent; by SMS it waits, since the interface answers a failed delivery with 502.
 */
import type { AddressKind, Verification } from '#adapters/redis/verification.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { deliver } from '#src/mail/deliver.ts'
import type { Actor } from '#src/user/actor.ts'
import { sameAddress } from '#src/user/verification.ts'
import type { DoorDeps, Opened, Visitor } from './door.ts'
import { enter } from './door.ts'

export type CodeRequest = { login: string; method: 'email' | 'sms'; address: string }
type Sending = Pick<Deps, 'users' | 'sessions' | 'store' | 'mail' | 'sms' | 'config' | 'audit'>

export const codeLifetimeMinutes = 10

/**
 * Sends a code that replaces the one before; answers when it ends. Throws InvalidInput for `sms` where there is no number
 * to send it to, whatever the reason; UpstreamFailure when the SMS was not taken.
 */
export async function requestCode(
  deps: Sending & Pick<Deps, 'background'>,
  { login, method, address }: CodeRequest,
): Promise<{ expires_at: number }> {
  const entry = await deps.users.findByLogin(login)
  const expires_at = Date.now() + codeLifetimeMinutes * 60_000
  const send = async (kind: AddressKind) => entry !== undefined && sendCode(deps, entry.uid, kind, address)
  if (method === 'email') deps.background.run('sending a one-time code', () => send('mail'))
  else if (!(await send('mobile')))
    throw new Refusal('InvalidInput', 'There is no phone number to send a code to.')
  return { expires_at }
}

/** Opens a session with a code, which shows that its address is theirs. Throws InvalidCode. */
export async function signInByCode(deps: DoorDeps, visitor: Visitor, code: string): Promise<Opened> {
  const { users, store } = deps
  const digits = code.replace(/[\s-]/g, '')
  return enter(deps, visitor, {
    name: 'code',
    refusal: 'InvalidCode',
    async prove(entry) {
      const sent = await store.codes.redeem(entry?.uid ?? nobody, digits)
      // Read again: the account may have been locked, or its address changed, since the code was sent.
      const now = sent && entry && (await users.find(entry.uid))
      if (!sent || !now?.isActive || !sameAddress(now[sent.kind], sent.address)) return undefined
      await store.verification.confirm(now.uid, sent.kind, sent.address)
      return { amr: ['otp'] }
    },
  })
}

/**
 * Sends the caller a code that shows an address of the own account to be theirs. Throws InvalidInput where there is none,
 * UpstreamFailure when the message was not taken.
 */
export async function requestOwnCode(deps: Sending, by: Actor, kind: AddressKind) {
  by.requirePerson()
  const expires_at = Date.now() + codeLifetimeMinutes * 60_000
  if (!(await sendCode(deps, by.caller.uid, kind, by.event.address, confirming)))
    throw new Refusal('InvalidInput', 'kind: the account has no such address to send a code to.')
  return { expires_at }
}

/** Marks the address that the caller's code was sent to as verified. Throws InvalidCode. */
export async function confirmByCode(
  { store, users, audit }: Pick<Deps, 'store' | 'users' | 'audit'>,
  by: Actor,
  code: string,
): Promise<Verification> {
  by.requirePerson()
  const { uid } = by.caller
  const sent = await store.codes.redeem(uid, code.replace(/[\s-]/g, ''))
  // Read after: the address may have changed since the code was sent.
  const now = sent && (await users.find(uid))
  if (!sent || !now || !sameAddress(now[sent.kind], sent.address)) throw new Refusal('InvalidCode')
  await store.verification.confirm(now.uid, sent.kind, sent.address)
  const detail = { kind: sent.kind }
  audit.append({ ...by.event, action: 'user.verify', target: now.uid, outcome: 'ok', detail })
  return store.verification.of(now)
}

const confirming = 'Enter this code to confirm that this address is yours:'

/** No uid is a blank. */
const nobody = ' '

/** False when this account cannot be sent one. */
async function sendCode(
  deps: Sending,
  uid: string,
  kind: AddressKind,
  from: string,
  what = 'Enter this code to sign in:',
): Promise<boolean> {
  const { users, sessions, store, sms, config, audit } = deps
  const generation = await sessions.generation(uid)
  const entry = await users.find(uid)
  const address = entry?.isActive ? entry[kind] : undefined
  const code = address ? await store.codes.issue(uid, { kind, address, generation }) : undefined
  if (!address || !code) return false
  const detail = { kind }
  audit.append({ actor: uid, action: 'code.request', target: uid, outcome: 'ok', address: from, detail })
  const brand = config.branding.name
  if (kind === 'mail') await deliver(deps, address, letterWith(code, brand, what))
  else
    await sms.send({ to: address, body: textWith(code, brand) }).catch(async (error) => {
      await store.codes.remove(uid)
      throw error
    })
  return true
}

function textWith(code: string, brand: string): string {
  return `${code} is your code for ${brand}, good for ${codeLifetimeMinutes} minutes.`
}

function letterWith(code: string, brand: string, what: string) {
  return {
    subject: `Your code for ${brand}`,
    before: [what],
    code,
    after: [
      `It works once, within ${codeLifetimeMinutes} minutes. Never tell it to anybody.`,
      'If you did not ask for it, do nothing.',
    ],
  }
}
