import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { brand } from '../app/brand.ts'

type Props = { title: string; lead?: ReactNode; actions?: ReactNode }

/** What a screen is called, on it and on the tab of the browser. */
export function PageHead({ title, lead, actions }: Props) {
  useEffect(() => {
    document.title = `${title} · ${brand.name}`
  }, [title])
  return (
    <Group justify="space-between" align="flex-end" gap="md" mb="lg">
      <div>
        <Title order={1}>{title}</Title>
        {lead && (
          <Text c="dimmed" mt={4} maw="42rem">
            {lead}
          </Text>
        )}
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
