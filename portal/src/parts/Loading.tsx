import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Stands where a screen will be; takes as much room, so that nothing jumps. */
export function Loading({ rows = 5, height = 56 }: { rows?: number; height?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" role="status" aria-label={t('loading')}>
      {[...Array(rows).keys()].map((row) => (
        <Skeleton key={row} height={height} radius="lg" />
      ))}
    </Stack>
  )
}
