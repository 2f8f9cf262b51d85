import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = { order: 'asc' | undefined; onOrder: (order: 'asc' | undefined) => void }

/** The newest first, which the address need not say, or the oldest. */
export function TimeOrder({ order, onOrder }: Props) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      aria-label={t('list.order')}
      data={[
        { value: '', label: t('list.orders.newest') },
        { value: 'asc', label: t('list.orders.oldest') },
      ]}
      value={order ?? ''}
      onChange={({ currentTarget: { value } }) => onOrder(value === 'asc' ? value : undefined)}
    />
  )
}
