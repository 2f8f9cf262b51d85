import './link-card.css'
import type { ReactNode } from 'react'
import { IconChevronRight } from './icons.tsx'

type Props = {
  /** A link of the class `link-card-name`. */ link: ReactNode
  under: ReactNode
  children?: ReactNode
}

/** One of a list, of which the whole card is the link. */
export function LinkCard({ link, under, children }: Props) {
  return (
    <li className="card link-card">
      <div className="link-card-grows">
        {link}
        <div className="link-card-dim">{under}</div>
      </div>
      {children}
      <IconChevronRight className="link-card-go" size={18} stroke={1.75} aria-hidden />
    </li>
  )
}

/** The list around them. */
export function LinkCards({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="plain-list link-cards" aria-label={label}>
      {children}
    </ul>
  )
}
