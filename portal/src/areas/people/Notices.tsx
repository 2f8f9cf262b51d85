import { Alert, Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import type { Icon } from '../../parts/icons.tsx'
import { IconAlertTriangle, IconLock, IconUserCircle } from '../../parts/icons.tsx'
import { Time } from '../../parts/Time.tsx'
import { told } from '../../parts/told.ts'
import { useUnlock } from './Actions.tsx'
import { openDoors } from './changes.ts'
import type { Doing } from './Dialogs.tsx'
import type { Someone } from './queries.ts'
import { closedUntil, sessionsOf } from './queries.ts'
import { nameOf } from './said.ts'

type Props = { who: Someone; onStart: (doing: Doing) => void }

/** What stands in somebody's way, or is done in their name, with the way out beside it. */
export function Notices({ who, onStart }: Props) {
  const { t } = useTranslation('people')
  const name = nameOf(who)
  const { data: until } = useQuery(closedUntil(who.uid))
  const { data: sessions = [] } = useQuery(sessionsOf(who.uid))
  const impersonators = [...new Set(sessions.flatMap(({ impersonator }) => impersonator ?? []))]
  const unlocking = useUnlock(who)
  const opening = useMutation({
    mutationFn: () => openDoors(who.uid),
    onSuccess: () => told(t('do.doors.done', { name })),
  })
  return (
    <>
      {impersonators.length > 0 && (
        <Notice icon={IconUserCircle} colour="yellow" title={t('notice.impersonated')}>
          {t('notice.impersonatedBy', { by: impersonators.join(', '), name })}
          <Button size="xs" variant="default" onClick={() => onStart('endImpersonation')}>
            {t('do.endImpersonation.menu')}
          </Button>
        </Notice>
      )}
      {who.isActive === false && (
        <Notice icon={IconLock} colour="red" title={t('notice.locked')}>
          {t('notice.lockedText', { name })}
          <Button
            size="xs"
            variant="default"
            loading={unlocking.isPending}
            onClick={() => unlocking.mutate()}
          >
            {t('do.unlock.menu')}
          </Button>
        </Notice>
      )}
      {until && (
        <Notice icon={IconAlertTriangle} colour="yellow" title={t('notice.closed')}>
          <span>
            {t('notice.closedText')} <Time at={until} />
          </span>
          <Button size="xs" variant="default" loading={opening.isPending} onClick={() => opening.mutate()}>
            {t('do.doors.menu')}
          </Button>
        </Notice>
      )}
      {opening.error && <Failed error={opening.error} />}
      {unlocking.error && <Failed error={unlocking.error} />}
    </>
  )
}

type NoticeProps = { icon: Icon; colour: string; title: string; children: ReactNode }

function Notice({ icon: Picture, colour, title, children }: NoticeProps) {
  return (
    <Alert color={colour} mb="md" icon={<Picture aria-hidden />} title={title}>
      <Group justify="space-between" gap="sm">
        {children}
      </Group>
    </Alert>
  )
}
