import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconUserPlus } from '../../parts/icons.tsx'
import { nameOf, without } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { AddPerson } from './AddPerson.tsx'
import { PeopleList } from './PeopleList.tsx'
import type { Effective, Group } from './queries.ts'
import { member } from './queries.ts'
import { TakeOut } from './TakeOut.tsx'

type Props = { group: Group; all: Effective; canChange: boolean }

/** The people whom the group itself lists. */
export function Members({ group, all, canChange }: Props) {
  const { t } = useTranslation('groups')
  const [adds, add] = useState(false)
  const [leaving, leave] = useState<string>()
  const nested = all.nestedGroups.map(({ dn }) => dn)
  const people = without(group.member, nested)
  return (
    <Panel
      title={t('member.title', { count: people.length })}
      lead={t('member.lead')}
      action={
        canChange && (
          <Button
            size="xs"
            onClick={() => add(true)}
            leftSection={<IconUserPlus size={16} stroke={2} aria-hidden />}
          >
            {t('member.add')}
          </Button>
        )
      }
    >
      {people.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('member.none')}
        </Text>
      ) : (
        <PeopleList as="members" dns={people} label={t('member.list')}>
          {(dn) =>
            canChange && (
              <Button
                size="xs"
                variant="default"
                aria-label={t('member.removeOf', { name: nameOf(dn) })}
                onClick={() => leave(dn)}
              >
                {t('member.remove')}
              </Button>
            )
          }
        </PeopleList>
      )}
      <AddPerson
        {...{ opened: adds, onClose: () => add(false), group: group.cn, already: people }}
        as="member"
        add={member.add}
      />
      <TakeOut group={group.cn} dn={leaving} kind="member" onClose={() => leave(undefined)} />
    </Panel>
  )
}
