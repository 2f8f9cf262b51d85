import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import type { Pasted } from './addresses.ts'

type Props = { good: number; wrong: Pasted['wrong'] }

/** How many of what was pasted can be invited, and by name those that cannot, with why. */
export function Checked({ good, wrong }: Props) {
  const { t } = useTranslation('invites')
  return (
    <div aria-live="polite">
      {good > 0 && (
        <Text size="sm" c="dimmed">
          {t('new.good', { count: good })}
        </Text>
      )}
      {wrong.length > 0 && (
        <>
          <Text size="sm" fw={600} className="invites-wrong">
            <IconAlertTriangle size={16} aria-hidden /> {t('new.wrong', { count: wrong.length })}
          </Text>
          <ul className="plain-list invites-reasons">
            {wrong.map(({ text, why }) => (
              <li key={text}>
                <bdi>{text}</bdi> – {t(`new.why.${why}`)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
