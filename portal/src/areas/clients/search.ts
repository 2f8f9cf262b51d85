/** Orders of the list, the first by default; and what it is filtered by. */
export const orders = ['name', 'changed', 'made'] as const
export const kinds = ['confidential', 'public'] as const
export const doors = ['everybody', 'groups'] as const
export const states = ['on', 'off'] as const
