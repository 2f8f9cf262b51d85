import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { AnchorLink } from '../../parts/links.tsx'
import type { Way } from './places.ts'

type Props = { to: Way; className?: string; children: ReactNode }

/** Leads to where one acts, on this screen or on another. */
export function Go({ to, ...rest }: Props) {
  if (typeof to === 'string') return <Anchor href={to} {...rest} />
  return <AnchorLink {...to} {...rest} />
}
