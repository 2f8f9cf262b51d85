import './webhooks.css'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { create } from './queries.ts'
import { SecretDialog } from './SecretDialog.tsx'
import { WebhookForm } from './WebhookForm.tsx'

/** A new webhook, and its secret this once. */
export function NewWebhook() {
  const { t } = useTranslation('webhooks')
  const navigate = useNavigate()
  const making = useMutation({ mutationFn: create, gcTime: 0 })
  const leave = () => {
    const { id = '' } = making.data ?? {}
    return navigate({ to: '/admin/webhooks/$id', params: { id }, replace: true, ignoreBlocker: true })
  }
  return (
    <>
      <BackTo to="/admin/webhooks" label={t('title')} />
      <PageHead title={t('new.title')} lead={t('new.lead')} />
      <Panel title={t('form.title')}>
        <WebhookForm
          initial={{ name: '', url: '', events: ['*'] }}
          action={t('new.make')}
          onSubmit={making.mutate}
          busy={making.isPending || making.isSuccess}
          error={making.error}
        />
      </Panel>
      <SecretDialog secret={making.data?.secret} isNew onClose={leave} />
    </>
  )
}
