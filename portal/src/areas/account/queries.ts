import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { Me } from '../../api/queries.ts'
import { me, queries } from '../../api/queries.ts'

export type Changes = {
  givenName?: string
  sn?: string
  mail?: string
  mobile?: string | null
  dateOfBirth?: string | null
  sshPublicKey?: string | null
}

/** Changes my account; answers the sentence that says what else happened. */
export async function change({ uid }: Me, body: Changes): Promise<string> {
  const { message } = await ok(api.PUT('/api/user/{uid}', { params: { path: { uid } }, body }))
  await queries.invalidateQueries({ queryKey: me.queryKey })
  return message
}

export const verification = queryOptions({
  queryKey: ['me', 'verification'],
  queryFn: async () => (await ok(api.GET('/api/user/me/verification'))).results,
})

export const sendCode = (kind: 'mail' | 'mobile') =>
  ok(api.POST('/api/user/me/verification', { body: { kind } }))

export async function confirmCode(code: string): Promise<void> {
  await ok(api.PUT('/api/user/me/verification', { body: { code } }))
  await queries.invalidateQueries({ queryKey: verification.queryKey })
}

export const changePassword = (body: { current: string; password: string; confirm: string }) =>
  ok(api.PUT('/api/user/password', { body }))

export async function addKey(key: string): Promise<void> {
  await ok(api.POST('/api/user/key', { body: { key } }))
  await queries.invalidateQueries({ queryKey: me.queryKey })
}

export const sessions = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await ok(api.GET('/api/auth/session/'))).results,
})
export const endSession = (id: string) =>
  ok(api.DELETE('/api/auth/session/{id}', { params: { path: { id } } }))
export const endOtherSessions = () => ok(api.DELETE('/api/auth/session/'))

export const grants = queryOptions({
  queryKey: ['grants'],
  queryFn: async () => (await ok(api.GET('/api/oauth/grant/'))).results,
})
export const revokeGrant = (client_id: string) =>
  ok(api.DELETE('/api/oauth/grant/{client_id}', { params: { path: { client_id } } }))

export const tokens = queryOptions({
  queryKey: ['api-tokens'],
  queryFn: async () => (await ok(api.GET('/api/api-token/'))).results,
})
type NewToken = { name: string; scope: 'read' | 'write'; expires_in_days: number }
export const makeToken = (body: NewToken) => ok(api.POST('/api/api-token/', { body }))
export const revokeToken = (id: string) => ok(api.DELETE('/api/api-token/{id}', { params: { path: { id } } }))

/** A page of what I did and what was done to my account, the newest first. */
export const activity = (query: { limit: number; cursor?: string | undefined }, signal?: AbortSignal) =>
  ok(api.GET('/api/user/me/activity/', { params: { query }, ...(signal ? { signal } : {}) }))

export const deleteAccount = ({ uid }: Me) => ok(api.DELETE('/api/user/{uid}', { params: { path: { uid } } }))

export type Session = Awaited<ReturnType<NonNullable<typeof sessions.queryFn>>>[number]
export type Grant = Awaited<ReturnType<NonNullable<typeof grants.queryFn>>>[number]
export type Token = Awaited<ReturnType<NonNullable<typeof tokens.queryFn>>>[number]
