/** What the API sorts by; without one, by number. */
export const sorts = ['uid', 'sn', 'mail', 'createTimestamp'] as const
export const directions = ['asc', 'desc'] as const
export const states = ['active', 'locked', 'must_change'] as const
