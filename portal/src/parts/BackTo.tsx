import './back-to.css'
import type { LinkProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import { IconArrowLeft } from './icons.tsx'

/** The way back to where a screen belongs. */
export function BackTo({ to, label }: { to: NonNullable<LinkProps['to']>; label: string }) {
  return (
    <Link to={to} className="back-to">
      <IconArrowLeft size={16} stroke={2} aria-hidden /> {label}
    </Link>
  )
}
