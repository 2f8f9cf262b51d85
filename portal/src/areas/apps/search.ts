/** Orders of a list of apps, the first by default; and what it is filtered by. */
export const orders = ['name', 'recent'] as const
export const kinds = ['oauth', 'service', 'host', 'site'] as const
