import type { Permission } from '../api/queries.ts'
import { IconApps, IconUserCircle } from '../parts/icons.tsx'

/** An entry of the navigation. An area adds its own line; a label is a key of the catalogue `app`, under `nav`. */
export type Entry = {
  to: '/' | '/account'
  label: 'apps' | 'account'
  icon: typeof IconApps
  /** Shown to effective members of one of these only; to everybody without. */
  needs?: Permission[]
}
export type Section = { label?: 'administration'; entries: Entry[] }

export const sections: Section[] = [
  {
    entries: [
      { to: '/', label: 'apps', icon: IconApps },
      { to: '/account', label: 'account', icon: IconUserCircle },
    ],
  },
]
