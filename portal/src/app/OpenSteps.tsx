import { Alert, Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Me } from '../api/queries.ts'
import { IconListCheck } from '../parts/first-icons.tsx'
import { openStepsAddress } from './session.ts'

/** Reminds of what the account still needs; the pages of these steps are the service's own. */
export function OpenSteps({ me }: { me: Me }) {
  const { t } = useTranslation()
  if (me.onboardingRequired === 'no') return null
  return (
    <Alert
      color="yellow"
      mb="lg"
      icon={<IconListCheck aria-hidden />}
      title={t('steps.title', { count: me.onboardingNeeds.length })}
    >
      {t('steps.which', { steps: me.onboardingNeeds.map((need) => t(`steps.${need}`)).join(', ') })}{' '}
      <Anchor href={openStepsAddress()} inherit fw={600}>
        {t('steps.go')}
      </Anchor>
    </Alert>
  )
}
