import './chain.css'
import { IconArrowRight } from './icons.tsx'

type Props = { of: readonly string[]; label: string; className?: string }

/** Names, each below the one before it. A loop ends with the name it begins with; no other comes twice. */
export function Chain({ of: [first, ...rest], label, className = '' }: Props) {
  return (
    <ol className={`plain-list chain ${className}`} aria-label={label}>
      <li>
        <bdi>{first}</bdi>
      </li>
      {rest.map((cn) => (
        <li key={cn}>
          <IconArrowRight size={14} stroke={2} aria-hidden />
          <bdi>{cn}</bdi>
        </li>
      ))}
    </ol>
  )
}
