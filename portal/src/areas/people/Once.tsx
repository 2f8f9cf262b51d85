import { Button, Code, CopyButton, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconCheck, IconCopy } from '../../parts/icons.tsx'

/** A secret that is shown this once, and can be copied. */
export function Once({ secret, label }: { secret: string; label: string }) {
  const { t } = useTranslation()
  return (
    <Group gap="xs" className="person-secret" role="group" aria-label={label}>
      <Code className="person-secret-text">{secret}</Code>
      <CopyButton value={secret}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            data-autofocus
            leftSection={
              copied ? (
                <IconCheck size={18} stroke={1.75} aria-hidden />
              ) : (
                <IconCopy size={18} stroke={1.75} aria-hidden />
              )
            }
          >
            {t(copied ? 'copied' : 'copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
