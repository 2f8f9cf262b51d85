import { Checkbox, Radio, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useActionWords } from '../../parts/actions.ts'
import type { Kind } from './patterns.ts'
import { kinds, matches } from './patterns.ts'

type Props = { value: string[]; onChange: (events: string[]) => void; error?: ReactNode }

/** Of which events to tell: of all, of all of a kind, or one by one. */
export function EventChoice({ value, onChange, error }: Props) {
  const { t } = useTranslation('webhooks')
  const words = useActionWords()
  const all = kinds(words.kind)
  const isAll = value.includes('*')
  const known = new Set(all.flatMap(({ actions, all }) => [...actions, ...all, '*']))
  const others = value.filter((pattern) => !known.has(pattern))
  const without = (patterns: string[]) => value.filter((each) => !patterns.includes(each))
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('events.title')}
        error={error}
        value={isAll ? 'all' : 'some'}
        onChange={(which) => onChange(which === 'all' ? ['*'] : [])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('events.all')} />
          <Radio value="some" label={t('events.some')} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <div className="hooks-kinds">
          {all.map((kind) => (
            <OneKind
              key={kind.name}
              kind={kind}
              value={value}
              onAll={(on) => onChange([...without([...kind.all, ...kind.actions]), ...(on ? kind.all : [])])}
              onOne={(action, on) => onChange([...without([action]), ...(on ? [action] : [])])}
            />
          ))}
          {others.length > 0 && (
            <div>
              {others.map((pattern) => (
                <Checkbox
                  key={pattern}
                  checked
                  label={pattern}
                  onChange={() => onChange(without([pattern]))}
                />
              ))}
            </div>
          )}
        </div>
      )}
    </Stack>
  )
}

type KindProps = {
  kind: Kind
  value: string[]
  onAll: (on: boolean) => void
  onOne: (action: string, on: boolean) => void
}

function OneKind({ kind: { name, actions, all }, value, onAll, onOne }: KindProps) {
  const { t } = useTranslation('webhooks')
  const words = useActionWords()
  const title = useId()
  const isOn = (action: string) => value.some((pattern) => matches(pattern, action))
  const on = actions.filter(isOn).length
  const isWhole = all.every((pattern) => value.includes(pattern))
  return (
    <fieldset className="hooks-kind" aria-labelledby={title}>
      <Checkbox
        checked={isWhole}
        indeterminate={!isWhole && on > 0}
        label={<span id={title}>{name}</span>}
        description={t('events.count', { count: on, all: actions.length })}
        onChange={({ currentTarget }) => onAll(currentTarget.checked)}
      />
      <details>
        <summary>{t('events.single')}</summary>
        <Stack gap={6} mt={6}>
          {actions.map((action) => (
            <Checkbox
              key={action}
              size="xs"
              checked={isOn(action)}
              disabled={isWhole}
              label={words.action(action)}
              onChange={({ currentTarget }) => onOne(action, currentTarget.checked)}
            />
          ))}
        </Stack>
      </details>
    </fieldset>
  )
}
