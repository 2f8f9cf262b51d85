import 'i18next'
import type account from './en/account.json'
import type app from './en/app.json'
import type apps from './en/apps.json'
import type groups from './en/groups.json'
import type people from './en/people.json'

/** Keys are checked: a text that is not in the English catalogue does not compile. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app'
    resources: {
      app: typeof app
      apps: typeof apps
      account: typeof account
      groups: typeof groups
      people: typeof people
    }
  }
}
