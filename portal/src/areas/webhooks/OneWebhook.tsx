import './webhooks.css'
import { Badge, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { Actions } from './Actions.tsx'
import { Deliveries } from './Deliveries.tsx'
import type { Webhook, Written } from './queries.ts'
import { change, webhook } from './queries.ts'
import { WebhookForm } from './WebhookForm.tsx'

/** One webhook: what it was told and what it answered, and where it is and of what it hears. */
export function OneWebhook() {
  const { t } = useTranslation('webhooks')
  const { id } = useParams({ from: '/admin/webhooks/$id' })
  const { data: one, error, refetch } = useQuery(webhook(id))
  return (
    <>
      <BackTo to="/admin/webhooks" label={t('title')} />
      {error && !one && <Failed error={error} onRetry={refetch} />}
      {!error && !one && <Loading rows={4} height={120} />}
      {one && (
        <>
          <PageHead
            title={one.name}
            lead={
              <Group component="span" gap="xs">
                <Badge component="span" variant="light" color={one.enabled ? 'green' : 'gray'} tt="none">
                  {t(one.enabled ? 'state.on' : 'state.off')}
                </Badge>
                {one.url}
              </Group>
            }
          />
          <Actions one={one} />
          <Deliveries id={id} />
          <Edit key={one.updated_on} one={one} />
        </>
      )}
    </>
  )
}

function Edit({ one }: { one: Webhook }) {
  const { t } = useTranslation(['webhooks', 'app'])
  const saving = useMutation({
    mutationFn: (written: Written) => change(one.id, written),
    onSuccess: () => told(t('form.saved')),
  })
  return (
    <Panel title={t('form.title')}>
      <WebhookForm
        initial={one}
        action={t('app:save')}
        onSubmit={saving.mutate}
        busy={saving.isPending}
        error={saving.error}
      />
    </Panel>
  )
}
