import { Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import * as icons from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import { useSaid } from '../../parts/useSaid.ts'
import { setActive } from './changes.ts'
import type { Doing } from './Dialogs.tsx'
import type { Someone } from './queries.ts'
import { nameOf } from './said.ts'

type Props = { who: Someone; onStart: (doing: Doing) => void }

const size = { size: 18, stroke: 1.75 }
const safe = [
  ['password', icons.IconKey],
  ['reset', icons.IconMail],
  ['impersonate', icons.IconUserCircle],
] as const
const destructive = [
  ['endImpersonation', icons.IconUserOff],
  ['signOut', icons.IconLogout],
  ['lock', icons.IconLock],
  ['delete', icons.IconTrash],
] as const

/** What an administrator can do with an account; what takes something away asks first. */
export function Actions({ who, onStart }: Props) {
  const { t } = useTranslation('people')
  const unlocking = useUnlock(who)
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          loading={unlocking.isPending}
          rightSection={<icons.IconChevronDown {...size} aria-hidden />}
        >
          {t('actions')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {safe.map(([doing, Icon]) => (
          <Menu.Item key={doing} leftSection={<Icon {...size} />} onClick={() => onStart(doing)}>
            {t(`do.${doing}.menu`)}
          </Menu.Item>
        ))}
        {who.isActive === false && (
          <Menu.Item leftSection={<icons.IconLockOpen {...size} />} onClick={() => unlocking.mutate()}>
            {t('do.unlock.menu')}
          </Menu.Item>
        )}
        <Menu.Divider />
        {destructive
          .filter(([doing]) => doing !== 'lock' || who.isActive)
          .map(([doing, Icon]) => (
            <Menu.Item
              key={doing}
              className="person-danger"
              leftSection={<Icon {...size} />}
              onClick={() => onStart(doing)}
            >
              {t(`do.${doing}.menu`)}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Unlocking takes nothing away, so it does not ask. */
export function useUnlock(who: Someone) {
  const { t } = useTranslation('people')
  const said = useSaid()
  return useMutation({
    mutationFn: () => setActive(who.uid, true),
    onSuccess: () => told(t('do.unlock.done', { name: nameOf(who) })),
    onError: (error) => told(said(error).sentence),
  })
}
