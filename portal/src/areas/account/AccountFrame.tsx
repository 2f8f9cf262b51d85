import { Outlet } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../parts/PageHead.tsx'

/** The head that all screens of the account share. */
export function AccountFrame() {
  const { t } = useTranslation('account')
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <Outlet />
    </>
  )
}
