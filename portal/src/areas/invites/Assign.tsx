import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { GroupsField } from './GroupsField.tsx'
import type { Assigned } from './queries.ts'

const lifetimes = [1, 3, 7, 14, 30, 90]
export const nothingAssigned: Assigned = { groups: [], days: undefined }

type Props = { value: Assigned; onChange: (assigned: Assigned) => void }

/** What all invites of one dialog share: groups, and when they end. */
export function Assign({ value, onChange }: Props) {
  const { t } = useTranslation('invites')
  return (
    <>
      <GroupsField value={value.groups} onChange={(groups) => onChange({ ...value, groups })} />
      <NativeSelect
        label={t('new.ends')}
        data={[
          { value: '', label: t('new.asConfigured') },
          ...lifetimes.map((days) => ({ value: String(days), label: t('new.days', { count: days }) })),
        ]}
        value={String(value.days ?? '')}
        onChange={({ currentTarget: { value: days } }) =>
          onChange({ ...value, days: days === '' ? undefined : Number(days) })
        }
      />
    </>
  )
}
