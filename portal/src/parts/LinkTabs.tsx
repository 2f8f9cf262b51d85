import './link-tabs.css'
import type { LinkProps } from '@tanstack/react-router'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

type Props = {
  label: string
  tabs: readonly { to: NonNullable<LinkProps['to']>; label: string }[]
  params: Record<string, string>
}

/** Each is a link, so that it can be sent to somebody; the one that is open stays in sight where there is little room. */
export function LinkTabs({ label, tabs, params }: Props) {
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path says which one is open
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[data-status=active]')
    if (list.current && open) list.current.scrollLeft = open.offsetLeft - list.current.offsetLeft
  }, [pathname])
  return (
    <nav ref={list} className="link-tabs" aria-label={label}>
      {tabs.map(({ to, label }) => (
        <Link
          key={to}
          {...{ to, params: params as never }}
          className="link-tab"
          activeOptions={{ exact: true }}
          resetScroll={false}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
