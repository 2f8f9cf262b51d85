import type { LinkProps } from '@tanstack/react-router'

/** Parts of this screen. */
export const here = { locked: '#locked', systems: '#systems' } as const

const way = (
  to: NonNullable<LinkProps['to']>,
  rest: Pick<LinkProps, 'params' | 'search'> = {},
): LinkProps => ({
  to,
  ...rest,
})
const one = (id: string) => ({ params: { id } })

/** Where one acts on what is shown here. */
export const places = {
  people: way('/people'),
  peopleLike: (q: string) => way('/people', { search: { q } }),
  groups: way('/admin/groups'),
  openInvites: way('/admin/invites', { search: { state: 'valid' } }),
  applications: way('/admin/applications'),
  tokens: way('/account/connections'),
  mail: way('/admin/configuration', { search: { section: 'smtp' } }),
  sms: way('/admin/configuration', { search: { section: 'sms' } }),
  plugin: (id: string) => way('/admin/plugins/$id', one(id)),
  webhook: (id: string) => way('/admin/webhooks/$id', one(id)),
  notification: (id: string) => way('/admin/notifications/$id', one(id)),
  refusals: way('/admin/audit', { search: { action: 'login', outcome: 'refused' } }),
  signUps: way('/admin/audit', { search: { action: 'user.create' } }),
}

/** A part of this screen, or another one. */
export type Way = (typeof here)[keyof typeof here] | LinkProps
