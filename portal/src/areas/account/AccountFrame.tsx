import { Tabs } from '@mantine/core'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../parts/PageHead.tsx'

const places = [
  ['/account', 'profile'],
  ['/account/security', 'security'],
  ['/account/sessions', 'sessions'],
  ['/account/connections', 'connections'],
  ['/account/activity', 'activity'],
  ['/account/data', 'data'],
] as const

/** The head that all screens of the account share. */
export function AccountFrame() {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const at = pathname.replace(/(?<=.)\/$/, '')
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <Tabs
        value={at}
        onChange={(to) => void navigate({ to: places.find(([path]) => path === to)?.[0] ?? '/account' })}
        activateTabWithKeyboard={false}
        mb="lg"
      >
        <Tabs.List aria-label={t('title')} className="tabs-scroll">
          {places.map(([path, name]) => (
            <Tabs.Tab key={path} value={path}>
              {t(`tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <Outlet />
    </>
  )
}
