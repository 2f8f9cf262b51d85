import 'i18next'
import type account from './en/account.json'
import type actions from './en/actions.json'
import type app from './en/app.json'
import type apps from './en/apps.json'
import type audit from './en/audit.json'
import type clients from './en/clients.json'
import type configuration from './en/configuration.json'
import type directory from './en/directory.json'
import type forms from './en/forms.json'
import type groups from './en/groups.json'
import type home from './en/home.json'
import type invites from './en/invites.json'
import type notifications from './en/notifications.json'
import type people from './en/people.json'
import type plugins from './en/plugins.json'
import type refused from './en/refused.json'
import type terms from './en/terms.json'
import type webhooks from './en/webhooks.json'

/** Keys are checked: a text that is not in the English catalogue does not compile. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app'
    resources: {
      app: typeof app
      apps: typeof apps
      account: typeof account
      clients: typeof clients
      directory: typeof directory
      actions: typeof actions
      audit: typeof audit
      groups: typeof groups
      home: typeof home
      invites: typeof invites
      people: typeof people
      notifications: typeof notifications
      terms: typeof terms
      webhooks: typeof webhooks
      plugins: typeof plugins
      refused: typeof refused
      forms: typeof forms
      configuration: typeof configuration
    }
  }
}
