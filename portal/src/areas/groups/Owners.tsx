import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { IconUserPlus } from '../../parts/icons.tsx'
import { isSame, nameOf } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { AddPerson } from './AddPerson.tsx'
import { PeopleList } from './PeopleList.tsx'
import type { Group } from './queries.ts'
import { owner } from './queries.ts'

/** Who decides who is in the group. */
export function Owners({ group, canChange }: { group: Group; canChange: boolean }) {
  const { t } = useTranslation('groups')
  const [adds, add] = useState(false)
  const [leaving, leave] = useState<string>()
  return (
    <Panel
      title={t('owner.title', { count: group.owner.length })}
      lead={t('owner.lead')}
      action={
        canChange && (
          <Button
            size="xs"
            variant="default"
            onClick={() => add(true)}
            leftSection={<IconUserPlus size={16} stroke={2} aria-hidden />}
          >
            {t('owner.add')}
          </Button>
        )
      }
    >
      {group.owner.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('owner.none')}
        </Text>
      ) : (
        <PeopleList as="owners" dns={group.owner} label={t('owner.list')}>
          {(dn) =>
            canChange && (
              <Button
                size="xs"
                variant="default"
                aria-label={t('owner.removeOf', { name: nameOf(dn) })}
                onClick={() => leave(dn)}
              >
                {t('owner.remove')}
              </Button>
            )
          }
        </PeopleList>
      )}
      <AddPerson
        {...{ opened: adds, onClose: () => add(false), group: group.cn, already: group.owner }}
        as="owner"
        add={owner.add}
      />
      <Disown group={group} dn={leaving} onClose={() => leave(undefined)} />
    </Panel>
  )
}

type Props = { group: Group; dn: string | undefined; onClose: () => void }

function Disown({ group: { cn, owner: owners }, dn, onClose }: Props) {
  const { t } = useTranslation('groups')
  const me = useMe()
  const uid = dn === undefined ? '' : nameOf(dn)
  const removing = useMutation({
    mutationFn: () => owner.remove({ group: cn, uid }),
    onSuccess: () => {
      onClose()
      told(t('owner.removed', { name: uid, group: cn }))
    },
  })
  const locksMeOut = isSame(uid, me.uid) && !mayUse(me, 'app_sso_admin')
  return (
    <Confirm
      opened={dn !== undefined}
      onClose={() => {
        onClose()
        removing.reset()
      }}
      title={t('owner.removeTitle', { name: uid, group: cn })}
      action={t('owner.remove')}
      onConfirm={() => removing.mutate()}
      busy={removing.isPending}
      error={removing.error}
    >
      {t(locksMeOut ? 'owner.goesYou' : 'owner.goes', { name: uid, group: cn })}{' '}
      {owners.length === 1 ? t('owner.last') : t('owner.left', { count: owners.length - 1 })}
    </Confirm>
  )
}
