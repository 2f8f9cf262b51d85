import type { LinkProps } from '@tanstack/react-router'

type Path = NonNullable<LinkProps['to']>

/** Nothing runs this: it holds the types of the routes to refusing a path that leads nowhere. */
export const there: Path = '/admin/groups/$name'
// @ts-expect-error there is no such screen
export const nowhere: Path = '/admin/nothing'
