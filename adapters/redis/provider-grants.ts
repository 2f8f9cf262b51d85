import type { AdapterPayload } from 'oidc-provider'

/** A living grant: `created_on` in milliseconds. */
export type HeldGrant = { client_id: string; scopes: string[]; created_on: number }

export function heldGrant({ clientId, iat, openid }: AdapterPayload): HeldGrant {
  const { scope = '' } = (openid ?? {}) as { scope?: string }
  return {
    client_id: String(clientId),
    scopes: scope.split(' ').filter(Boolean),
    created_on: Number(iat) * 1000,
  }
}

/** How a grant stands in the lists of its session and its account. */
export type Entered = { member: string; grant: string; clientId: string; offline: boolean }

export function enteredIn(member: string): Entered {
  const offline = member.startsWith('o:')
  const [grant = '', clientId = ''] = (offline ? member.slice(2) : member).split(' ')
  return { member, grant, clientId, offline }
}
