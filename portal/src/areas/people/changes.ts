import type { InfiniteData } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Listed, PageOfPeople } from './queries.ts'
import { figures, oneKey, person } from './queries.ts'

const at = (uid: string) => ({ params: { path: { uid } } })

/** Locks or unlocks an account; a locked one is signed out everywhere. */
export async function setActive(uid: string, active: boolean): Promise<void> {
  await ok(api.PUT('/api/user/{uid}/active', { ...at(uid), body: { active } }))
  await changed(uid)
}

/** Lets somebody try again whom too many failures kept out. */
export async function openDoors(uid: string): Promise<void> {
  await ok(api.DELETE('/api/auth/lockout/{uid}', at(uid)))
  await changed(uid)
}

/** Sets a random password and answers it: it is kept nowhere, and must be changed at first use. */
export async function setPassword(uid: string): Promise<string> {
  const password = randomPassword()
  await ok(api.PUT('/api/user/{uid}/password', { ...at(uid), body: { password, confirm: password } }))
  await changed(uid)
  return password
}

/** Has a link for a new password sent to the mail address. */
export async function sendReset(mail: string): Promise<void> {
  await ok(api.POST('/api/auth/resetpassword', { body: { mail } }))
}

export async function signOutEverywhere(uid: string): Promise<void> {
  await ok(api.DELETE('/api/user/{uid}/session', at(uid)))
  await changed(uid)
}

export async function endSession(uid: string, id: string): Promise<void> {
  await ok(api.DELETE('/api/user/{uid}/session/{id}', { params: { path: { uid, id } } }))
  await changed(uid)
}

/** A temporary password for the account, and when it ends (milliseconds); the reason goes into the audit trail. */
export async function impersonate(
  uid: string,
  reason: string,
): Promise<{ temp_password: string; expires_at: number }> {
  const started = await ok(api.POST('/api/auth/impersonate/{uid}', { ...at(uid), body: { reason } }))
  await changed(uid)
  return started
}

/** Answers how many sessions that ended. */
export async function endImpersonation(uid: string): Promise<number> {
  const { revoked } = await ok(api.DELETE('/api/auth/impersonate/{uid}', at(uid)))
  await changed(uid)
  return revoked
}

export async function remove(uid: string): Promise<void> {
  await ok(api.DELETE('/api/user/{uid}', at(uid)))
  inLists((rows) => rows.filter((row) => row.uid !== uid))
  await queries.invalidateQueries({ queryKey: figures.queryKey })
}

/** Somebody is gone, and their screen was left. */
export function forget(uid: string): void {
  queries.removeQueries({ queryKey: oneKey(uid) })
}

/** Forgets what is known of somebody, and shows them in the lists as they are now. */
async function changed(uid: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: oneKey(uid) }),
    queries.invalidateQueries({ queryKey: figures.queryKey }),
  ])
  const now = await queries.fetchQuery(person(uid))
  inLists((rows) => rows.map((row) => (row.uid === now.uid ? { ...row, ...now } : row)))
}

function inLists(change: (rows: Listed[]) => Listed[]): void {
  queries.setQueriesData<InfiniteData<PageOfPeople>>(
    { queryKey: ['people', 'list'] },
    (list) =>
      list && { ...list, pages: list.pages.map((page) => ({ ...page, results: change(page.results) })) },
  )
}

/** 20 signs (more than 110 bits) that cannot be mistaken for one another when they are read out. */
function randomPassword(): string {
  const signs = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  let password = ''
  while (password.length < 20) {
    const [value = 0] = crypto.getRandomValues(new Uint8Array(1))
    // 224 is the largest multiple of 56: no sign is likelier than another.
    if (value < 224) password += signs[value % signs.length]
  }
  return password.replace(/.{5}(?=.)/g, '$&-')
}
