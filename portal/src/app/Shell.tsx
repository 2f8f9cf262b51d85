import { Burger } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries.ts'
import { Loading } from '../parts/Loading.tsx'
import { Account } from './Account.tsx'
import { brand } from './brand.ts'
import { Impersonated } from './Impersonated.tsx'
import { Navigation } from './Navigation.tsx'
import { OpenSteps } from './OpenSteps.tsx'

/** Navigation beside the screen, or behind a button where there is no room for it. */
export function Shell() {
  const { t } = useTranslation()
  const me = useMe()
  const [open, { toggle, close }] = useDisclosure()
  const main = useScreen(close)
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <nav className="frame-side" data-open={open || undefined} aria-label={t('nav.name')}>
        <div className="frame-top">
          <Link to="/" className="brand">
            <img src={brand.icon} alt="" width={28} height={28} />
            <bdi>{brand.name}</bdi>
          </Link>
          <Burger
            className="frame-burger"
            size="sm"
            opened={open}
            onClick={toggle}
            aria-label={t(open ? 'nav.close' : 'nav.open')}
            aria-expanded={open}
            aria-controls="navigation"
          />
        </div>
        <div className="frame-menu" id="navigation">
          <div className="frame-nav">
            <Navigation me={me} />
          </div>
          <Account me={me} />
        </div>
      </nav>
      <main className="frame-main" id="main" tabIndex={-1} ref={main}>
        <OpenSteps me={me} />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <Impersonated me={me} />
    </div>
  )
}

/**
 * A new screen takes the focus, so that a keyboard or a screen reader begins with it, and closes the menu. Its entry is in
 * sight, however low the window is.
 */
function useScreen(close: () => void) {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    document.querySelector(`.nav-link[aria-current=page]`)?.scrollIntoView({ block: 'nearest' })
    if (shown.current === pathname) return
    shown.current = pathname
    close()
    main.current?.focus({ preventScroll: true })
  }, [pathname, close])
  return main
}
