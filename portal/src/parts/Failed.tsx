import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle } from './first-icons.tsx'
import { useSaid } from './useSaid.ts'

/** Says what went wrong, where it went wrong. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation()
  const { sentence, requestId } = useSaid()(error)
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={sentence}>
      {(requestId || onRetry) && (
        <Group justify="space-between" gap="sm">
          {requestId && (
            <Text size="xs" c="dimmed">
              {t('request')} <Code className="request-id">{requestId}</Code>
            </Text>
          )}
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('retry')}
            </Button>
          )}
        </Group>
      )}
    </Alert>
  )
}
