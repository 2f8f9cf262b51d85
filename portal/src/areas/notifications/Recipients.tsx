import { Checkbox, Radio, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import { IconUsers } from '../../parts/icons.tsx'
import type { Choice } from './filter.ts'
import { NamesField } from './NamesField.tsx'

const whos = ['all_active', 'all', 'group', 'users'] as const
type Props = {
  choice: Choice
  onChange: (choice: Choice) => void
  count: UseQueryResult<number>
  isNobody: boolean
}

/** Whom to write to, with how many people that is as soon as it is chosen. */
export function Recipients({ choice, onChange, count: { data, error, isFetching }, isNobody }: Props) {
  const { t } = useTranslation('notifications')
  const { who, names, activeOnly } = choice
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label={t('recipients.title')}
        value={who}
        onChange={(given) => {
          const who = whos.find((each) => each === given)
          if (who) onChange({ who, names: [], activeOnly: false })
        }}
      >
        <div className="notes-forms">
          {whos.map((each) => (
            <Radio key={each} value={each} label={t(`recipients.${each}`)} />
          ))}
        </div>
      </Radio.Group>
      {(who === 'group' || who === 'users') && (
        <NamesField key={who} what={who} names={names} onChange={(names) => onChange({ ...choice, names })} />
      )}
      {who === 'group' && (
        <Checkbox
          label={t('recipients.activeOnly')}
          checked={activeOnly}
          onChange={({ currentTarget }) => onChange({ ...choice, activeOnly: currentTarget.checked })}
        />
      )}
      {error && !isNobody ? (
        <Failed error={error} />
      ) : (
        <Text className="notes-count" fw={600} c="bright" aria-live="polite">
          <IconUsers size={18} stroke={1.75} aria-hidden />
          {isNobody && t('recipients.nobodyYet')}
          {!isNobody &&
            (isFetching || data === undefined ? t('recipients.counting') : t('count', { count: data }))}
        </Text>
      )}
    </Stack>
  )
}
