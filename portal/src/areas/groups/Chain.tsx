import { IconArrowRight } from '../../parts/icons.tsx'

type Props = { of: readonly string[]; label: string; className?: string }

/** Groups, each nested in the one before it. */
export function Chain({ of, label, className = '' }: Props) {
  return (
    <ol className={`plain-list groups-chain ${className}`} aria-label={label}>
      {of.map((cn, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a loop names one group twice
        <li key={at}>
          {at > 0 && <IconArrowRight size={14} stroke={2} aria-hidden />}
          <bdi>{cn}</bdi>
        </li>
      ))}
    </ol>
  )
}
