import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconKey, IconLock } from '../../parts/icons.tsx'

type Props = { who: { isActive?: boolean; password_must_change?: boolean } }

/** Whether somebody can sign in. */
export function State({ who: { isActive, password_must_change } }: Props) {
  const { t } = useTranslation('people')
  return (
    <Group component="span" gap={6} display="inline-flex">
      {isActive === false && (
        <Badge component="span" color="red" variant="light" tt="none" leftSection={<IconLock {...small} />}>
          <span className="state-words">{t('state.locked')}</span>
        </Badge>
      )}
      {password_must_change && (
        <Badge component="span" color="yellow" variant="light" tt="none" leftSection={<IconKey {...small} />}>
          <span className="state-words">{t('state.mustChange')}</span>
        </Badge>
      )}
      {isActive && !password_must_change && (
        <Text component="span" size="sm" c="dimmed" className="state-words">
          {t('state.active')}
        </Text>
      )}
    </Group>
  )
}

const small = { size: 12, stroke: 2.25, 'aria-hidden': true } as const
