import { Button, Menu } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconBan, IconChevronDown, IconKey, IconTrash } from '../../parts/icons.tsx'
import type { Client } from './types.ts'

/** What can be asked about. */
export type Doing = 'rotate' | 'off' | 'delete'
type Props = { client: Client; onStart: (doing: Doing) => void }

const size = { size: 18, stroke: 1.75, 'aria-hidden': true } as const

/** What can be done with an application as a whole; each takes something away, and asks first. */
export function Actions({ client, onStart }: Props) {
  const { t } = useTranslation('clients')
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown {...size} />}>
          {t('actions')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!client.public && (
          <Menu.Item leftSection={<IconKey {...size} />} onClick={() => onStart('rotate')}>
            {t('do.rotate.menu')}
          </Menu.Item>
        )}
        {client.is_valid && (
          <Menu.Item
            className="client-danger"
            leftSection={<IconBan {...size} />}
            onClick={() => onStart('off')}
          >
            {t('do.off.menu')}
          </Menu.Item>
        )}
        <Menu.Item
          className="client-danger"
          leftSection={<IconTrash {...size} />}
          onClick={() => onStart('delete')}
        >
          {t('do.delete.menu')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
