import { useTranslation } from 'react-i18next'
import { tidy } from '../../parts/SchemaField.tsx'
import type { Draft, Setting } from './queries.ts'
import { useShown } from './useShown.ts'

/** Each change as before and after. */
export function Summary({ changes, draft }: { changes: Setting[]; draft: Draft }) {
  const { t } = useTranslation('configuration')
  const shown = useShown()
  return (
    <table className="conf-summary">
      <thead>
        <tr>
          <th scope="col">{t('changes.setting')}</th>
          <th scope="col">{t('changes.before')}</th>
          <th scope="col">{t('changes.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((setting) => {
          const next = draft.get(setting.path)
          const after = setting.secret ? t('newSecret') : shown(setting, tidy(next))
          return (
            <tr key={setting.path}>
              <th scope="row">{setting.path}</th>
              <td>{shown(setting, setting.value)}</td>
              <td>{next === null ? t('changes.cleared') : after}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
