import { Badge, Button, Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SchemaField } from '../../parts/SchemaField.tsx'
import { useRefused } from '../../parts/useRefused.ts'
import type { Wrong } from './Configuration.tsx'
import type { Setting } from './queries.ts'
import { fieldOf } from './useGoTo.ts'
import { useSettingWords } from './useSettingWords.ts'
import { useShown } from './useShown.ts'

type Props = {
  setting: Setting
  /** What it is to become; null is what the environment or the default says. */
  changed?: { to: unknown }
  wrong: Wrong | undefined
  onChange: (value: unknown) => void
  onReset: (value?: null) => void
}

/** One setting: what it does, what it is, where that comes from, and what it will be. */
export function OneSetting({ setting, changed, wrong, onChange, onReset }: Props) {
  const { t } = useTranslation(['configuration', 'forms'])
  const shown = useShown()
  const refused = useRefused()
  const { path, schema, secret, bootstrap, value, source, environment } = setting
  const isCleared = changed?.to === null
  const now = secret ? (changed && !isCleared ? changed.to : '') : changed && !isCleared ? changed.to : value
  const { text, lang } = useSettingWords()(setting)
  const said = <span lang={lang}>{text}</span>
  return (
    <div className="conf-setting" data-changed={changed !== undefined || undefined}>
      {bootstrap ? (
        <div>
          <span className="conf-path">{path}</span>
          <p className="conf-said">{said}</p>
          <Code className="conf-value">{shown(setting, value)}</Code>
        </div>
      ) : (
        <SchemaField
          id={fieldOf(path)}
          label={path}
          description={said}
          schema={schema}
          value={now}
          onChange={onChange}
          required={schema.type !== 'string'}
          disabled={isCleared}
          secret={secret}
          {...(secret ? { placeholder: t('keeps') } : {})}
          error={
            wrong &&
            ('said' in wrong
              ? (refused(wrong.said) ?? wrong.said)
              : t(`forms:fault.${wrong.key}`, { ...wrong.values }))
          }
        />
      )}
      <div className="conf-from">
        <Badge variant="light" color={source === 'stored' ? 'brand' : 'gray'} tt="none">
          {t(`source.${source}`)}
        </Badge>
        {bootstrap && (
          <span className="conf-env">
            {t('onlyEnvironment')} <Code>{environment}</Code>
          </span>
        )}
        {changed ? (
          <>
            <span className="conf-env">{t(isCleared ? 'willClear' : 'willChange')}</span>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => onReset()}
              aria-label={t('undoOf', { path })}
            >
              {t('undo')}
            </Button>
          </>
        ) : (
          source === 'stored' && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => onReset(null)}
              aria-label={t('clearOf', { path })}
            >
              {t('clear')}
            </Button>
          )
        )}
      </div>
    </div>
  )
}
