/**
 * An invite is used up before its account is made, and finished after the last step: in between nobody else can use it,
 * and whoever comes waits for the end. What fails on the way is given back, as good as before; what a process that died
 * left behind can be taken over a little later.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { InviteRecord } from '#adapters/redis/invites.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'

/** Longer than an account takes to be made, whatever is slow. */
const abandonedMilliseconds = 15_000
/** Shorter than that: whoever waits from the beginning takes nothing over. */
const wait = { forMilliseconds: 9_000, pauseMilliseconds: 100 }
const giving = { forMilliseconds: 600_000, pauseMilliseconds: 200 }

export type Claimed = InviteRecord & Mine
type Mine = Required<Pick<InviteRecord, 'used_by' | 'used_on'>>

/** It waits for somebody: until it is accepted, which includes its acceptance having broken off for good. */
export function isValid(invite: InviteRecord): boolean {
  return isOpen(invite) && !underWay(invite)
}

/** It can be accepted, perhaps: its acceptance has not been brought to an end. */
export function isOpen({ state, expires_at, unfinished }: InviteRecord): boolean {
  return expires_at > Date.now() && (state === 'valid' || (state === 'used' && unfinished === true))
}

function underWay({ state, used_on = 0 }: InviteRecord): boolean {
  return state === 'used' && Date.now() - used_on < abandonedMilliseconds
}

/** Uses up an invite for `used_by`, where `fits` says yes. Throws TokenInvalid; UpstreamFailure while it is undecided. */
export async function claim(
  deps: Pick<Deps, 'store' | 'log'>,
  token: string,
  used_by: string,
  fits: (invite: InviteRecord) => boolean,
): Promise<Claimed> {
  for (const end = Date.now() + wait.forMilliseconds; Date.now() < end; ) {
    const mine = { state: 'used' as const, used_by, used_on: Date.now(), unfinished: true }
    let waiting = false
    const change = (invite: InviteRecord): InviteRecord | undefined => {
      if (!isOpen(invite) || !fits(invite)) return undefined
      waiting = underWay(invite)
      return waiting ? undefined : { ...invite, ...mine, tried: triedAfter(invite) }
    }
    const claimed = await deps.store.invites.change(token, change).catch((error) => {
      giveBack(deps, { token, ...mine }, error)
      throw error
    })
    if (claimed) return { ...claimed, ...mine }
    if (!waiting) throw new Refusal('TokenInvalid')
    await pause(wait.pauseMilliseconds)
  }
  throw new Refusal('UpstreamFailure')
}

export async function finish({ store }: Pick<Deps, 'store'>, claimed: Claimed): Promise<void> {
  const done = await store.invites.change(claimed.token, (invite) => {
    const { unfinished: _, tried: __, ...finished } = invite
    return isMine(invite, claimed) ? finished : undefined
  })
  if (!done) throw new Refusal('TokenInvalid')
}

/** As good as before, as soon as Redis hears it. After anything but a refusal the account may be there. */
export function giveBack(
  { store, log }: Pick<Deps, 'store' | 'log'>,
  claimed: Mine & { token: string },
  error: unknown,
): void {
  const refused = isRefusal(error) && error.status < 500
  const back = (invite: InviteRecord): InviteRecord | undefined => {
    const { used_by: _, used_on: __, unfinished: ___, ...valid } = invite
    const tried = refused ? (invite.tried ?? []) : triedAfter(invite)
    return isMine(invite, claimed) ? { ...valid, state: 'valid', tried } : undefined
  }
  const give = async () => {
    for (const end = Date.now() + giving.forMilliseconds; Date.now() < end; ) {
      const error = await store.invites.change(claimed.token, back).then(
        () => undefined,
        (error: Error) => error,
      )
      if (!error) return
      await pause(giving.pauseMilliseconds, undefined, { ref: false })
    }
    log.error('an invite stays used although its acceptance failed')
  }
  void give()
}

function triedAfter({ used_by, tried = [] }: InviteRecord): string[] {
  return used_by ? [...new Set([...tried, used_by])] : tried
}

function isMine(invite: InviteRecord, { used_by, used_on }: Mine): boolean {
  return invite.state === 'used' && invite.used_by === used_by && invite.used_on === used_on
}
