import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { actionNames, useActionWords } from '../../parts/actions.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { TimeOrder } from '../../parts/TimeOrder.tsx'
import type { Search } from './queries.ts'
import { outcomes } from './search.ts'

type Props = { search: Search; onLook: (change: Search) => void }

/** Every filter of the API; the address keeps them. */
export function Filters({ search, onLook }: Props) {
  const { t } = useTranslation('audit')
  const words = useActionWords()
  const { order, ...filters } = search
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const none: Search = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]))
  return (
    <search className="audit-filters" aria-label={t('filter.name')}>
      <SearchField label={t('filter.actor')} value={search.actor} onSearch={(actor) => onLook({ actor })} />
      <SearchField
        label={t('filter.target')}
        value={search.target}
        onSearch={(target) => onLook({ target })}
      />
      <NativeSelect
        aria-label={t('filter.action')}
        value={search.action ?? ''}
        onChange={({ currentTarget: { value } }) => onLook({ action: value || undefined })}
      >
        <option value="">{t('filter.anyAction')}</option>
        {grouped(search.action, words).map(([kind, actions]) => (
          <optgroup key={kind} label={kind}>
            {actions.map((name) => (
              <option key={name} value={name}>
                {words.action(name)}
              </option>
            ))}
          </optgroup>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label={t('filter.outcome')}
        value={search.outcome ?? ''}
        data={[
          { value: '', label: t('filter.anyOutcome') },
          ...outcomes.map((value) => ({ value, label: words.outcome(value) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onLook({ outcome: outcomes.find((each) => each === value) })
        }
      />
      {(['since', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={t(`filter.${name}`)}
          classNames={{ root: 'audit-date' }}
          value={search[name] ?? ''}
          {...(name === 'since' ? { max: search.until } : { min: search.since })}
          onChange={({ currentTarget: { value } }) => onLook({ [name]: value || undefined })}
        />
      ))}
      <TimeOrder order={order} onOrder={(order) => onLook({ order })} />
      {isFiltered && (
        <Button variant="subtle" className="audit-clear" onClick={() => onLook(none)}>
          {t('filter.clear')}
        </Button>
      )}
    </search>
  )
}

type Words = ReturnType<typeof useActionWords>

/** All actions under what they are about; also one that the address names and that has no words. */
function grouped(chosen: string | undefined, { kind }: Words): [string, string[]][] {
  const names = actionNames()
  const groups = new Map<string, string[]>()
  for (const name of chosen && !names.includes(chosen) ? [chosen, ...names] : names)
    groups.set(kind(name), [...(groups.get(kind(name)) ?? []), name])
  return [...groups]
}
