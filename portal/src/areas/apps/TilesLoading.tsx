import { Skeleton } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Tiles to come, as large as they will be. */
export function TilesLoading() {
  const { t } = useTranslation()
  return (
    <div className="tiles" role="status" aria-label={t('loading')}>
      {Array.from({ length: 6 }, (_, tile) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={tile} height={124} radius="lg" />
      ))}
    </div>
  )
}
