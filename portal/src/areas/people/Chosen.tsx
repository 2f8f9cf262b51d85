import { Button, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as icons from '../../parts/icons.tsx'
import type { Rows } from '../../parts/LongTable.tsx'
import type { Asked } from './BulkDialog.tsx'
import { BulkDialog } from './BulkDialog.tsx'
import type { BulkDoing } from './bulk.ts'
import { bulk } from './bulk.ts'
import type { Listed } from './queries.ts'

const size = { size: 18, stroke: 1.75 }
const drawn: Record<BulkDoing, icons.Icon> = {
  group: icons.IconUsersGroup,
  unlock: icons.IconLockOpen,
  signOut: icons.IconLogout,
  lock: icons.IconLock,
  delete: icons.IconTrash,
}
const doings = Object.keys(bulk) as BulkDoing[]

/** How many people are chosen, and what can be done with them; floats over the end of the table while there are any. */
export function Chosen({ table }: { table: Rows<Listed> }) {
  const { t } = useTranslation('people')
  const [asked, ask] = useState<Asked>()
  const chosen = table.getSelectedRowModel().rows.map(({ original }) => original)
  const loaded = table.getRowModel().rows.length
  return (
    <>
      {chosen.length > 0 && (
        <section className="card people-chosen" aria-label={t('chosen.name')}>
          <Text component="span" size="sm" fw={600} role="status">
            {t('chosen.count', { count: chosen.length })}
          </Text>
          {chosen.length < loaded && (
            <Button size="xs" variant="subtle" onClick={() => table.toggleAllRowsSelected(true)}>
              {t('chosen.all', { count: loaded })}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => table.resetRowSelection()}>
            {t('chosen.none')}
          </Button>
          <Menu position="top-end" withinPortal={false} withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <Button size="xs" rightSection={<icons.IconChevronDown {...size} aria-hidden />}>
                {t('chosen.do')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {doings.map((each) => {
                const Icon = drawn[each]
                return (
                  <Menu.Item
                    key={each}
                    className={each === 'lock' || each === 'delete' ? 'person-danger' : undefined}
                    leftSection={<Icon {...size} />}
                    onClick={() => ask({ what: each, people: chosen })}
                  >
                    {t(`bulk.${each}.menu`)}
                  </Menu.Item>
                )
              })}
            </Menu.Dropdown>
          </Menu>
        </section>
      )}
      <BulkDialog
        asked={asked}
        onClose={() => ask(undefined)}
        onLeft={(people) => table.setRowSelection(Object.fromEntries(people.map(({ uid }) => [uid, true])))}
      />
    </>
  )
}
