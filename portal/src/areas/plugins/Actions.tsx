import { Alert, Button, Code, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconCheck, IconPlayerPlay, IconTrash } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import type { Instance } from './queries.ts'
import { forget, remove, renewed, run, runs, setLoaded, test } from './queries.ts'

const size = { size: 18, stroke: 1.75 }

/** What can be done with a plugin now. `onRun` hears the id of a run that was asked for. */
export function Actions({ one, onRun }: { one: Instance; onRun: (id: string) => void }) {
  const { t } = useTranslation('plugins')
  const [asking, { open, close }] = useDisclosure()
  const running = useMutation({
    mutationFn: () => run(one.id),
    onSuccess: (id) => {
      onRun(id)
      told(t('do.began'))
    },
  })
  const loading = useMutation({
    mutationFn: () => setLoaded(one.id, !one.enabled),
    onSuccess: () => told(t(one.enabled ? 'do.unloaded' : 'do.loaded')),
  })
  const testing = useMutation({ mutationFn: () => test(one.id), onSettled: () => renewed(one.id) })
  return (
    <div className="plugins-actions">
      <Group gap="xs">
        <Button
          loading={running.isPending}
          onClick={() => running.mutate()}
          leftSection={<IconPlayerPlay {...size} aria-hidden />}
        >
          {t('do.run')}
        </Button>
        <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
          {t('do.test')}
        </Button>
        {one.cron !== null && (
          <Button variant="default" loading={loading.isPending} onClick={() => loading.mutate()}>
            {t(one.enabled ? 'do.unload' : 'do.load')}
          </Button>
        )}
        <Button variant="default" onClick={open} leftSection={<IconTrash {...size} aria-hidden />}>
          {t('do.delete')}
        </Button>
      </Group>
      {[running, loading, testing].map(
        ({ error }, nth) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: always the same three
          error && <Failed key={nth} error={error} />,
      )}
      <div aria-live="polite">
        {testing.data && !testing.isPending && (
          <Alert
            color={testing.data.success ? 'green' : 'red'}
            icon={testing.data.success ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
            title={t(testing.data.success ? 'do.works' : 'do.failed')}
          >
            {!testing.data.success && <p className="plugins-said">{testing.data.message}</p>}
            {testing.data.log && <Code block>{testing.data.log}</Code>}
          </Alert>
        )}
      </div>
      <Removal one={one} opened={asking} onClose={close} />
    </div>
  )
}

function Removal({ one, opened, onClose }: { one: Instance; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('plugins')
  const navigate = useNavigate()
  const { data: past = [] } = useQuery(runs(one.id))
  const secrets = Object.values(one.secrets).filter(Boolean).length
  const removing = useMutation({
    mutationFn: () => remove(one.id),
    onSuccess: async () => {
      told(t('delete.done', { name: one.name }))
      await navigate({ to: '/admin/plugins', ignoreBlocker: true })
      forget(one.id)
    },
  })
  return (
    <Confirm
      opened={opened}
      onClose={() => {
        onClose()
        removing.reset()
      }}
      title={t('delete.title', { name: one.name })}
      action={t('delete.action')}
      onConfirm={() => removing.mutate()}
      busy={removing.isPending}
      error={removing.error}
    >
      {t('delete.text', {
        runs: t('delete.runs', { count: past.length }),
        secrets: t('delete.secrets', { count: secrets }),
      })}
    </Confirm>
  )
}
