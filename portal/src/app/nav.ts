import type { Permission } from '../api/queries.ts'
import { IconApps, IconListCheck, IconUserCircle, IconUsers, IconUsersGroup } from '../parts/icons.tsx'

/** An entry of the navigation. An area adds its own line; a label is a key of the catalogue `app`, under `nav`. */
export type Entry = {
  to: '/' | '/account' | '/groups' | '/decisions' | '/people'
  label: 'apps' | 'account' | 'groups' | 'decisions' | 'people'
  icon: typeof IconApps
  /** Shown to effective members of one of these only; to everybody without. */
  needs?: Permission[]
  /** Tells how many requests wait for a decision. */
  waits?: true
}
export type Section = { label?: 'administration'; entries: Entry[] }

export const sections: Section[] = [
  {
    entries: [
      { to: '/', label: 'apps', icon: IconApps },
      { to: '/groups', label: 'groups', icon: IconUsersGroup },
      { to: '/decisions', label: 'decisions', icon: IconListCheck, waits: true },
      { to: '/account', label: 'account', icon: IconUserCircle },
    ],
  },
  {
    label: 'administration',
    entries: [{ to: '/people', label: 'people', icon: IconUsers, needs: ['app_sso_admin'] }],
  },
]
