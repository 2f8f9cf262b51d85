import { Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyField, CopyOf } from '../../parts/CopyField.tsx'
import { Panel } from '../../parts/Panel.tsx'
import type { Given, Recipe } from './recipes.ts'
import { filledIn } from './recipes.ts'

type Props = { recipe: Recipe; given: Given; onCopied?: () => void }

/** The application's own settings as docs/apps.md has them, with the real addresses and ids. */
export function AppSettings({ recipe, given, onCopied }: Props) {
  const { t } = useTranslation(['clients', 'app'])
  const filled = (text: string) => filledIn(text, recipe, given)
  const holds = (text: string) => given.client_secret !== undefined && text.includes('<client_secret>')
  return (
    <Panel title={t('connect.settings', { name: recipe.name })} lead={t('connect.settingsLead')}>
      {recipe.form.length > 0 && (
        <div className="client-values">
          {recipe.form.map(({ field, value }) => (
            <CopyField
              key={field}
              label={field}
              value={filled(value)}
              {...(holds(value) && onCopied ? { onCopied } : {})}
            />
          ))}
        </div>
      )}
      {recipe.blocks.map(({ language, code, file }) => {
        const label = file ?? t(language === 'sh' ? 'connect.commands' : 'connect.file', { language })
        const text = filled(code).trimEnd()
        return (
          <figure key={code} className="client-block">
            <figcaption>
              <Text component="span" size="sm" fw={600} c="bright">
                {label}
              </Text>
              <CopyOf
                value={text}
                label={t('app:copyOf', { what: label })}
                onCopied={holds(code) ? onCopied : undefined}
              />
            </figcaption>
            <Code block tabIndex={0} role="group" aria-label={label}>
              {text}
            </Code>
          </figure>
        )
      })}
    </Panel>
  )
}
