import type { LinkProps } from '@tanstack/react-router'
import type { Permission } from '../api/queries.ts'
import type texts from '../i18n/en/app.json'
import {
  IconApps,
  IconBell,
  IconFileText,
  IconHierarchy,
  IconHistory,
  IconHome,
  IconListCheck,
  IconMail,
  IconPlug,
  IconSettings,
  IconSitemap,
  IconTerminal,
  IconUserCircle,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '../parts/first-icons.tsx'

/** An entry of the navigation. An area adds its own line; a label is a key of the catalogue `app`, under `nav`. */
export type Entry = {
  to: NonNullable<LinkProps['to']>
  label: Exclude<keyof typeof texts.nav, 'name' | 'open' | 'close'>
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
    entries: [
      { to: '/admin/overview', label: 'overview', icon: IconHome, needs: ['app_sso_admin'] },
      { to: '/people', label: 'people', icon: IconUsers, needs: ['app_sso_admin'] },
      { to: '/admin/invites', label: 'invites', icon: IconMail, needs: ['app_sso_admin', 'app_sso_invite'] },
      { to: '/admin/groups', label: 'allGroups', icon: IconHierarchy, needs: ['app_sso_admin'] },
      { to: '/admin/directory', label: 'directory', icon: IconSitemap, needs: ['app_sso_directory_admin'] },
      { to: '/admin/applications', label: 'applications', icon: IconPlug, needs: ['app_sso_oauth_admin'] },
      { to: '/admin/notifications', label: 'notifications', icon: IconBell, needs: ['app_sso_admin'] },
      { to: '/admin/terms', label: 'terms', icon: IconFileText, needs: ['app_sso_admin'] },
      { to: '/admin/plugins', label: 'plugins', icon: IconTerminal, needs: ['app_sso_admin'] },
      { to: '/admin/webhooks', label: 'webhooks', icon: IconWebhook, needs: ['app_sso_admin'] },
      { to: '/admin/configuration', label: 'configuration', icon: IconSettings, needs: ['app_sso_admin'] },
      { to: '/admin/audit', label: 'audit', icon: IconHistory, needs: ['app_sso_admin'] },
    ],
  },
]
