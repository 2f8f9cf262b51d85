import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/Panel.tsx'
import type { Wrong } from './Configuration.tsx'
import { OneSetting } from './OneSetting.tsx'
import type { Draft, Setting } from './queries.ts'
import { TryOut } from './TryOut.tsx'

type Props = {
  name: string
  settings: Setting[]
  draft: Draft
  wrong: ReadonlyMap<string, Wrong>
  onChange: (setting: Setting, value: unknown) => void
  onReset: (path: string, value?: null) => void
}

/** Settings that belong together; those of mail and SMS can be tried out. */
export function Section({ name, settings, draft, wrong, onChange, onReset }: Props) {
  const { t } = useTranslation('configuration')
  const isFixed = settings.every(({ bootstrap }) => bootstrap)
  const isTried = name === 'smtp' || name === 'sms'
  return (
    <Panel title={useSectionName()(name)} lead={isFixed ? t('fixed') : undefined}>
      <div className="conf-settings">
        {settings.map((setting) => (
          <OneSetting
            key={setting.path}
            setting={setting}
            {...(draft.has(setting.path) ? { changed: { to: draft.get(setting.path) } } : {})}
            wrong={wrong.get(setting.path)}
            onChange={(value) => onChange(setting, value)}
            onReset={(value) => onReset(setting.path, value)}
          />
        ))}
      </div>
      {isTried && (
        <TryOut
          what={name === 'smtp' ? 'mail' : 'sms'}
          isUnsaved={settings.some(({ path }) => draft.has(path))}
        />
      )}
    </Panel>
  )
}

/** What a section is called; one that this portal does not know by its name in the tree. */
export function useSectionName(): (name: string) => string {
  const { t, i18n } = useTranslation('configuration')
  return (name) =>
    i18n.exists(`section.${name}`, { ns: 'configuration' }) ? t(`section.${name}` as 'section.smtp') : name
}
