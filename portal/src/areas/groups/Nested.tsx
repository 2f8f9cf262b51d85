import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconHierarchy, IconUsersGroup } from '../../parts/icons.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { isIn } from './changes.ts'
import { GroupLink } from './GroupLink.tsx'
import { NestGroup } from './NestGroup.tsx'
import type { Effective, Group } from './queries.ts'
import { TakeOut } from './TakeOut.tsx'

type Props = { group: Group; all: Effective; canChange: boolean }

/** The groups whose members are members of this one. */
export function Nested({ group, all, canChange }: Props) {
  const { t } = useTranslation('groups')
  const [nests, nest] = useState(false)
  const [leaving, leave] = useState<string>()
  const nested = all.nestedGroups.filter(({ dn }) => isIn(group.member, dn))
  return (
    <Panel
      title={t('nested.title', { count: nested.length })}
      lead={t('nested.lead')}
      action={
        canChange && (
          <Button
            size="xs"
            variant="default"
            onClick={() => nest(true)}
            leftSection={<IconHierarchy size={16} stroke={2} aria-hidden />}
          >
            {t('nested.add')}
          </Button>
        )
      }
    >
      {nested.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('nested.none')}
        </Text>
      )}
      <Listed
        {...{ as: 'nested', label: t('nested.list'), few: 10, rows: nested }}
        said={({ cn }) => [cn]}
        orders={[{ value: 'name', by: (a, b) => byName(a.cn, b.cn) }]}
      >
        {(shown) => (
          <ul className="plain-list groups-people" aria-label={t('nested.list')}>
            {shown.map(({ cn, dn }) => (
              <li key={dn}>
                <IconUsersGroup size={22} stroke={1.75} aria-hidden className="groups-dim" />
                <div className="groups-who">
                  <GroupLink cn={cn} />
                </div>
                {canChange && (
                  <div className="groups-end">
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t('nested.removeOf', { name: cn })}
                      onClick={() => leave(dn)}
                    >
                      {t('nested.remove')}
                    </Button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <NestGroup group={group} opened={nests} onClose={() => nest(false)} />
      <TakeOut group={group.cn} dn={leaving} kind="nested" onClose={() => leave(undefined)} />
    </Panel>
  )
}
