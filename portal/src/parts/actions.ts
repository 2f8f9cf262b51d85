import i18next from 'i18next'
import { useTranslation } from 'react-i18next'

type Words = { [name: string]: string | Words }

/** What stands in the audit log, in words; what has none (written by another release) is said by its name. */
export function useActionWords() {
  const { t, i18n } = useTranslation('actions')
  const said = (key: string, otherwise: string) =>
    i18n.exists(key, { ns: 'actions' }) ? String(t(key as 'outcomes.ok')) : otherwise
  return {
    /** The name, such as `user.create`, as a person would say it. */
    action: (name: string) => said(`actions.${name}`, name),
    outcome: (name: string) => said(`outcomes.${name}`, name),
    /** What an action is about: accounts, groups, apps. */
    kind: (name: string) => said(`kinds.${kindOf(name)}`, kindOf(name)),
  }
}

/** The first part of a name: `user` of `user.create`. */
export function kindOf(action: string): string {
  return action.split('.')[0] ?? action
}

/** Names of all actions that have words; none before the catalogue is loaded. */
export function actionNames(): string[] {
  const { actions } = (i18next.getResourceBundle(i18next.language, 'actions') ?? {}) as Words
  return actions === undefined || typeof actions === 'string' ? [] : namesIn(actions)
}

function namesIn(words: Words): string[] {
  return Object.entries(words).flatMap(([name, said]) =>
    typeof said === 'string' ? [name] : namesIn(said).map((inner) => `${name}.${inner}`),
  )
}
