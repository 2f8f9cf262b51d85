import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { flags, numbers, usual, words } from './kinds.ts'
import type { Typed } from './metadata.ts'
import type { Kind } from './search.ts'

type Props = { kind: Kind; typed: Typed; bad: string | undefined; onType: (typed: Partial<Typed>) => void }

/** What can be said of a kind, and what else is said already. */
export function MetadataFields({ kind, typed: { said, is, more }, bad, onType }: Props) {
  const { t } = useTranslation('directory')
  const fields = [...words, ...numbers].filter((name) => usual[kind].includes(name) || said[name])
  return (
    <>
      <div className="directory-fields">
        {fields.map((name) => (
          <TextInput
            key={name}
            label={t(`fields.${name}`)}
            value={said[name] ?? ''}
            onChange={({ currentTarget: { value } }) => onType({ said: { ...said, [name]: value } })}
            {...(numbers.some((each) => each === name) ? { type: 'number', min: 1, max: 65_535 } : {})}
            maxLength={2000}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
      </div>
      <Stack gap="sm">
        {flags.map((name) => (
          <Switch
            key={name}
            label={t(`fields.${name}`)}
            description={t(`form.${name}`)}
            checked={is[name] ?? false}
            onChange={({ currentTarget: { checked } }) => onType({ is: { ...is, [name]: checked } })}
          />
        ))}
      </Stack>
      <Textarea
        label={t('form.more')}
        description={t('form.moreHint')}
        error={bad === undefined ? undefined : t('form.badLine', { line: bad })}
        value={more}
        onChange={({ currentTarget: { value } }) => onType({ more: value })}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
      />
    </>
  )
}
