import { Badge, NavLink, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Me } from '../api/queries.ts'
import { mayUse, toDecide } from '../api/queries.ts'
import { sections } from './nav.ts'

/** What this person can go to. */
export function Navigation({ me }: { me: Me }) {
  const { t } = useTranslation()
  return sections.map(({ label, entries }) => {
    const shown = entries.filter(({ needs }) => !needs || mayUse(me, ...needs))
    if (shown.length === 0) return null
    return (
      <div key={label ?? 'own'} role="presentation">
        {label && <div className="nav-heading">{t(`nav.${label}`)}</div>}
        {shown.map(({ to, label, icon: Icon, waits }) => (
          <NavLink
            key={to}
            renderRoot={(props) => (
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} {...props} />
            )}
            className="nav-link"
            label={t(`nav.${label}`)}
            leftSection={<Icon size={20} stroke={1.75} aria-hidden />}
            rightSection={waits && <Waiting />}
          />
        ))}
      </div>
    )
  })
}

/** How many requests wait for this person; nothing where none does. */
function Waiting() {
  const { t } = useTranslation()
  const { data: waiting = [] } = useQuery(toDecide)
  if (waiting.length === 0) return null
  return (
    <Badge component="span" size="sm" circle={waiting.length < 10}>
      <VisuallyHidden>{t('nav.waiting')}</VisuallyHidden> {waiting.length < 100 ? waiting.length : '99+'}
    </Badge>
  )
}
