import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** Where groups are looked at from: all of them, or one's own. */
export function useHome(): '/admin/groups' | '/groups' {
  return useLocation({
    select: ({ pathname }) => (pathname.startsWith('/admin/') ? '/admin/groups' : '/groups'),
  })
}

type Props = { cn: string; className?: string; children?: ReactNode }

/** Leads to a group, in the list from which this one was opened. */
export function GroupLink({ cn, className = 'groups-link', children }: Props) {
  const home = useHome()
  return (
    <Link to={`${home}/$name`} params={{ name: cn }} className={className} title={cn} preload={false}>
      {children ?? <bdi>{cn}</bdi>}
    </Link>
  )
}
