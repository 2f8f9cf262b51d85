import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconKey, IconSend, IconTrash } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import type { Webhook } from './queries.ts'
import { change, deliveries, forget, remove, test } from './queries.ts'
import { SecretDialog } from './SecretDialog.tsx'
import { Tested } from './Tested.tsx'

const size = { size: 18, stroke: 1.75 }

/** What can be done with a webhook now. */
export function Actions({ one }: { one: Webhook }) {
  const { t } = useTranslation('webhooks')
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'secret' | 'delete'>()
  const { data: past = [] } = useQuery(deliveries(one.id))
  const stop = () => setAsking(undefined)
  const testing = useMutation({ mutationFn: () => test(one.id) })
  const switching = useMutation({
    mutationFn: () => change(one.id, { enabled: !one.enabled }),
    onSuccess: () => told(t(one.enabled ? 'do.switchedOff' : 'do.switchedOn')),
  })
  const renewing = useMutation({
    mutationFn: () => change(one.id, { secret: null }),
    gcTime: 0,
    onSuccess: stop,
  })
  const removing = useMutation({
    mutationFn: () => remove(one.id),
    onSuccess: async () => {
      told(t('delete.done', { name: one.name }))
      await navigate({ to: '/admin/webhooks', ignoreBlocker: true })
      forget(one.id)
    },
  })
  return (
    <div className="hooks-actions">
      <Group gap="xs">
        <Button
          loading={testing.isPending}
          onClick={() => testing.mutate()}
          leftSection={<IconSend {...size} aria-hidden />}
        >
          {t('do.test')}
        </Button>
        <Button variant="default" loading={switching.isPending} onClick={() => switching.mutate()}>
          {t(one.enabled ? 'do.switchOff' : 'do.switchOn')}
        </Button>
        <Button
          variant="default"
          onClick={() => setAsking('secret')}
          leftSection={<IconKey {...size} aria-hidden />}
        >
          {t('do.secret')}
        </Button>
        <Button
          variant="default"
          onClick={() => setAsking('delete')}
          leftSection={<IconTrash {...size} aria-hidden />}
        >
          {t('do.delete')}
        </Button>
      </Group>
      {testing.error && <Failed error={testing.error} />}
      {switching.error && <Failed error={switching.error} />}
      <div aria-live="polite">{testing.data && !testing.isPending && <Tested delivery={testing.data} />}</div>
      <Confirm
        opened={asking === 'secret'}
        onClose={stop}
        title={t('renew.title', { name: one.name })}
        action={t('renew.action')}
        onConfirm={() => renewing.mutate()}
        busy={renewing.isPending}
        error={renewing.error}
        danger={false}
      >
        {t('renew.text')}
      </Confirm>
      <Confirm
        opened={asking === 'delete'}
        onClose={stop}
        title={t('delete.title', { name: one.name })}
        action={t('delete.action')}
        onConfirm={() => removing.mutate()}
        busy={removing.isPending}
        error={removing.error}
      >
        {t('delete.text', { url: one.url, log: t('delete.log', { count: past.length }) })}
      </Confirm>
      <SecretDialog secret={renewing.data} isNew={false} onClose={renewing.reset} />
    </div>
  )
}
