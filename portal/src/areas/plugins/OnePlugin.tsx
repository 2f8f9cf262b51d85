import './plugins.css'
import { Badge, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BackTo } from '../../parts/BackTo.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { Actions } from './Actions.tsx'
import { PluginForm } from './PluginForm.tsx'
import type { Instance, PluginType, Written } from './queries.ts'
import { change, instance, types } from './queries.ts'
import { Runs } from './Runs.tsx'
import { Secrets } from './Secrets.tsx'

/** One plugin: how it is set up, and how its runs ended. */
export function OnePlugin() {
  const { t } = useTranslation('plugins')
  const { id } = useParams({ from: '/admin/plugins/$id' })
  const { data: one, error, refetch } = useQuery(instance(id))
  const { data: known } = useQuery(types)
  const [awaited, setAwaited] = useState<string>()
  const type = known?.find(({ type }) => type === one?.pluginType)
  return (
    <>
      <BackTo to="/admin/plugins" label={t('title')} />
      {error && !one && <Failed error={error} onRetry={refetch} />}
      {!error && (!one || !known) && <Loading rows={4} height={120} />}
      {one && known && (
        <>
          <Head one={one} type={type} />
          <Actions one={one} onRun={setAwaited} />
          <Runs id={id} awaited={awaited} />
          {type && type.secrets.length > 0 && <Secrets one={one} names={type.secrets} />}
          {type && <Settings key={one.updated_on} one={one} type={type} />}
        </>
      )}
    </>
  )
}

function Head({ one, type }: { one: Instance; type: PluginType | undefined }) {
  const { t } = useTranslation('plugins')
  const { name, cron, enabled, pluginType } = one
  const state = cron === null ? 'none' : enabled ? 'on' : 'off'
  return (
    <PageHead
      title={name}
      lead={
        <Group component="span" gap="xs">
          {type ? type.name : t('unknownType', { type: pluginType })}
          <Badge component="span" variant="light" color={state === 'on' ? 'green' : 'gray'} tt="none">
            {t(`schedule.${state}`)}
          </Badge>
          {state === 'on' && t('schedule.at', { cron })}
        </Group>
      }
    />
  )
}

function Settings({ one, type }: { one: Instance; type: PluginType }) {
  const { t } = useTranslation(['plugins', 'app'])
  const saving = useMutation({
    mutationFn: (written: Written) => change(one.id, written),
    onSuccess: () => told(t('form.saved')),
  })
  return (
    <Panel title={t('form.title')} lead={<span lang="en">{type.description}</span>}>
      <PluginForm
        type={type}
        initial={one}
        action={t('app:save')}
        onSubmit={saving.mutate}
        busy={saving.isPending}
        error={saving.error}
      />
    </Panel>
  )
}
