import { Box, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; lead?: ReactNode; children: ReactNode; action?: ReactNode }

/** One matter on a screen, with its heading. */
export function Panel({ title, lead, children, action }: Props) {
  return (
    <Box component="section" className="card panel" mb="md" aria-label={title}>
      <div className="panel-head">
        <div>
          <Title order={2}>{title}</Title>
          {lead && (
            <Text size="sm" c="dimmed" mt={2}>
              {lead}
            </Text>
          )}
        </div>
        {action}
      </div>
      {children}
    </Box>
  )
}
