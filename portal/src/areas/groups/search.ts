/** Orders of the list of all groups, which comes from the API a page at a time; the first by default. */
export const allOrders = ['name', 'oldest'] as const
