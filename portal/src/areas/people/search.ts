/** Orders that the API offers; without one, by number. */
export const orders = ['uid', 'sn', 'mail', 'createTimestamp'] as const
