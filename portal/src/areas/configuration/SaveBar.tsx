import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { tidy } from '../../parts/SchemaField.tsx'
import { told } from '../../parts/told.ts'
import type { Wrong } from './Configuration.tsx'
import type { Draft, Setting } from './queries.ts'
import { save } from './queries.ts'
import { Summary } from './Summary.tsx'

type Props = {
  all: Setting[]
  draft: Draft
  faults: ReadonlyMap<string, Wrong>
  /** Shows these at their fields. */
  onPoint: (faults: ReadonlyMap<string, Wrong>) => void
  onDone: () => void
}

/** How much is changed, and the way to save it: shown as before and after, then all at once. */
export function SaveBar({ all, draft, faults, onPoint, onDone }: Props) {
  const { t } = useTranslation(['configuration', 'app'])
  const [reviewing, { open, close }] = useDisclosure()
  const changes = all.filter(({ path }) => draft.has(path))
  const signsOut = draft.has('oauth.jwtSecret')
  const saving = useMutation({
    mutationFn: () => save(new Map([...draft].map(([path, value]) => [path, tidy(value)]))),
    onSuccess: () => {
      close()
      told(t('saved', { count: changes.length }))
      onDone()
    },
    onError: (error) => {
      const at = fieldNamed(error, all)
      if (!at) return
      close()
      onPoint(new Map([[at.path, { said: at.said }]]))
    },
  })
  return (
    <section className="card conf-bar" aria-label={t('changes.name')}>
      <Text fw={600} c="bright" aria-live="polite">
        {t('changes.count', { count: changes.length })}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={onDone}>
          {t('changes.discard')}
        </Button>
        <Button onClick={() => (faults.size > 0 ? onPoint(faults) : open())}>{t('changes.review')}</Button>
      </Group>
      <Dialog
        opened={reviewing}
        onClose={close}
        onExitTransitionEnd={saving.reset}
        title={t('changes.title', { count: changes.length })}
        size="lg"
      >
        <Stack gap="md">
          <Summary changes={changes} draft={draft} />
          <Text size="sm">{t(signsOut ? 'changes.signsOut' : 'changes.effect')}</Text>
          {saving.error && <Failed error={saving.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus={signsOut || undefined}>
              {t('app:cancel')}
            </Button>
            <Button
              {...(signsOut ? { color: 'red' } : { 'data-autofocus': true })}
              loading={saving.isPending}
              onClick={() => saving.mutate()}
            >
              {t('app:save')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </section>
  )
}

/** The setting that a refusal begins with, and what it says of it. */
function fieldNamed(error: unknown, all: Setting[]): { path: string; said: string } | undefined {
  if (!(error instanceof Failure) || error.name !== 'InvalidInput') return undefined
  const { message } = error
  const named = all.find(({ path }) => message.startsWith(`${path}:`) || message.startsWith(`${path} `))
  return named && { path: named.path, said: message }
}
