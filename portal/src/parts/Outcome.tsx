import { Badge } from '@mantine/core'
import { useActionWords } from './actions.ts'

/** How something ended, where that needs saying: what went well does not. */
export function Outcome({ outcome }: { outcome: string }) {
  const words = useActionWords()
  if (outcome === 'ok') return null
  return (
    <Badge component="span" variant="light" color="red" tt="none">
      {words.outcome(outcome)}
    </Badge>
  )
}
