import { Skeleton } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Tiles to come, as large as they will be. */
export function TilesLoading() {
  const { t } = useTranslation()
  return (
    <div className="tiles" role="status" aria-label={t('loading')}>
      {[1, 2, 3, 4, 5, 6].map((tile) => (
        <Skeleton key={tile} height={124} radius="lg" />
      ))}
    </div>
  )
}
