import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = { who: { isActive?: boolean; password_must_change?: boolean } }

/** Whether somebody can sign in. */
export function State({ who: { isActive, password_must_change } }: Props) {
  const { t } = useTranslation('people')
  return (
    <Group component="span" gap={6} display="inline-flex">
      {isActive === false && (
        <Badge component="span" color="red" variant="light" tt="none">
          {t('state.locked')}
        </Badge>
      )}
      {password_must_change && (
        <Badge component="span" color="yellow" variant="light" tt="none">
          {t('state.mustChange')}
        </Badge>
      )}
      {isActive && !password_must_change && (
        <Text component="span" size="sm" c="dimmed">
          {t('state.active')}
        </Text>
      )}
    </Group>
  )
}
