import { Link, useSearch } from '@tanstack/react-router'
import { kindIcons } from './kinds.ts'
import type { Brief } from './queries.ts'

/** Leads to another resource, with the search as it is. */
export function ResourceLink({ one, className = 'directory-link' }: { one: Brief; className?: string }) {
  const search = useSearch({ from: '/admin/directory' })
  const Icon = kindIcons[one.kind]
  return (
    <Link
      to="/admin/directory"
      search={{ ...search, id: one.id }}
      className={className}
      title={one.name}
      preload={false}
    >
      <Icon size={16} stroke={2} aria-hidden />
      <bdi>{one.name}</bdi>
    </Link>
  )
}
