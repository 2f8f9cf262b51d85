/** States of an invite that one can look for. */
export const states = ['valid', 'used', 'revoked', 'expired'] as const
export type State = (typeof states)[number]
