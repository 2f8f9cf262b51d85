import { Alert, Button, Code, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconShieldCheck } from '../../parts/icons.tsx'
import type { Part } from './queries.ts'
import { verifyPart } from './queries.ts'

/** What was looked at so far: the parts, added up. */
type Walk = Part & { first: number; done: boolean }

/** Walks the chain of seals over the log, part by part, and says whether it holds. */
export function VerifyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation(['audit', 'app'])
  const [walk, setWalk] = useState<Walk>()
  const stop = useRef(new AbortController())
  const walking = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController()
      const { signal } = stop.current
      let so: Walk | undefined
      for (let cursor: string | undefined; ; ) {
        const { results, next } = await verifyPart(cursor, signal)
        so = added(so, results, next === undefined)
        setWalk(so)
        if (next === undefined) return
        cursor = next
      }
    },
  })
  const forget = () => {
    setWalk(undefined)
    walking.reset()
  }
  const leave = () => {
    stop.current.abort()
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={leave} onExitTransitionEnd={forget} title={t('verify.title')} size="lg">
      <Stack gap="md">
        <Text size="sm">{t('verify.text')}</Text>
        {walking.isPending && <Going walk={walk} />}
        {walking.error && !stop.current.signal.aborted && <Failed error={walking.error} />}
        {walk?.done && !walking.isPending && <Verdict walk={walk} />}
        <Text size="sm" c="dimmed">
          {t('verify.command')} <Code>npm run audit:verify</Code>
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={leave}>
            {t(walking.isPending ? 'app:cancel' : 'app:close')}
          </Button>
          <Button
            data-autofocus
            loading={walking.isPending}
            onClick={() => {
              setWalk(undefined)
              walking.mutate()
            }}
          >
            {t(walk ? 'verify.again' : 'verify.start')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function added(so: Walk | undefined, part: Part, done: boolean): Walk {
  if (!so) return { ...part, first: part.from, done }
  return { ...part, first: so.first, seals: so.seals + part.seals, events: so.events + part.events, done }
}

function Going({ walk }: { walk: Walk | undefined }) {
  const { t } = useTranslation('audit')
  const all = walk ? walk.of - walk.first + 1 : 0
  return (
    <div>
      <Progress value={walk && all > 0 ? (100 * walk.seals) / all : 0} aria-label={t('verify.progress')} />
      <Text size="sm" c="dimmed" mt={4} aria-live="polite">
        {walk ? t('verify.soFar', { count: walk.seals, all }) : t('verify.begins')}
      </Text>
    </div>
  )
}

function Verdict({ walk: { seals, events, unsealed, newest, fault, first } }: { walk: Walk }) {
  const { t } = useTranslation('audit')
  if (fault !== null)
    return (
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('verify.broken', { count: seals })}
      >
        <p className="audit-said">
          {t('verify.says')} <q lang="en">{fault}</q>
        </p>
        {t('verify.brokenText')}
      </Alert>
    )
  return (
    <Alert color="green" role="status" icon={<IconShieldCheck aria-hidden />} title={t('verify.holds')}>
      <p className="audit-said">
        {t('verify.count', { count: events, seals: t('verify.seals', { count: seals }) })}{' '}
        {unsealed > 0 && t('verify.unsealed', { count: unsealed })} {first > 1 && t('verify.from', { first })}
      </p>
      {newest !== '' && (
        <>
          {t('verify.newest')} <Code className="request-id">{newest}</Code>
        </>
      )}
    </Alert>
  )
}
