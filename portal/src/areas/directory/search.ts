export const kinds = ['site', 'host', 'service', 'oauth'] as const
export type Kind = (typeof kinds)[number]
