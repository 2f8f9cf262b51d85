import { Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Icon } from './first-icons.tsx'

type Props = { icon: Icon; title: string; children?: ReactNode; action?: ReactNode }

/** What stands where a list has nothing to show: why, and what one can do. */
export function Empty({ icon: Picture, title, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" py={56} px="md" ta="center" className="card">
      <ThemeIcon variant="light" size={52} radius="xl" mb="xs" aria-hidden>
        <Picture size={26} stroke={1.75} />
      </ThemeIcon>
      <Text fw={600} c="bright">
        {title}
      </Text>
      {children && (
        <Text c="dimmed" size="sm" maw="30rem">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}
