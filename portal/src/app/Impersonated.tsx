import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Me } from '../api/queries.ts'
import { IconAlertTriangle } from '../parts/first-icons.tsx'
import './impersonated.css'

/** Says on every screen of an impersonated session whose account this is and who acts; it goes only with the session. */
export function Impersonated({ me }: { me: Me }) {
  const { t } = useTranslation()
  if (me.impersonator === undefined) return null
  return (
    <section className="impersonated" aria-label={t('impersonated.name')}>
      <IconAlertTriangle size={20} aria-hidden />
      <p>{t('impersonated.text', { uid: me.uid, by: me.impersonator })}</p>
      <Button type="submit" form="sign-out" size="xs" color="red">
        {t('impersonated.end')}
      </Button>
    </section>
  )
}
