/** Orders of a list of groups, the first by default. */
export const orders = ['name', 'size'] as const
