import { useTranslation } from 'react-i18next'
import { IconArrowRight } from '../../parts/icons.tsx'

/** How a membership is held: from the group that lists the person, up through those it is nested in. */
export function Path({ via }: { via: readonly string[] }) {
  const { t } = useTranslation('people')
  const upwards = via.toReversed()
  return (
    <ol className="person-path" aria-label={t('path')}>
      {upwards.map((cn, at) => (
        <li key={cn}>
          {at > 0 && <IconArrowRight size={14} stroke={2} aria-hidden />}
          <bdi>{cn}</bdi>
        </li>
      ))}
    </ol>
  )
}
