import { Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { told } from '../../parts/told.ts'
import { clientsOf } from './changes.ts'
import { Effect, useEffectOf } from './Effect.tsx'
import { useHome } from './GroupLink.tsx'
import { forget, remove } from './queries.ts'

type Props = { group: string; opened: boolean; onClose: () => void }

/** Asks before a group is deleted, with who loses what by it. */
export function DeleteGroup(props: Props) {
  const { group, opened, onClose } = props
  const { t } = useTranslation('groups')
  const navigate = useNavigate()
  const home = useHome()
  const deleting = useMutation({
    mutationFn: () => remove(group),
    onSuccess: async () => {
      onClose()
      told(t('delete.done', { group }))
      await navigate({ to: home })
      await forget(group)
    },
  })
  return (
    <Confirm
      opened={opened}
      onClose={() => {
        onClose()
        deleting.reset()
      }}
      title={t('delete.title', { group })}
      action={t('delete.action')}
      onConfirm={() => deleting.mutate()}
      busy={deleting.isPending}
      error={deleting.error}
      typed={group}
    >
      {opened && <Losses group={group} />}
    </Confirm>
  )
}

function Losses({ group }: { group: string }) {
  const { t } = useTranslation('groups')
  const { data } = useEffectOf({ group, change: 'delete' })
  const { data: clients = [] } = useQuery(clientsOf(useMe(), group))
  return (
    <>
      <Effect group={group} change="delete" />
      {data && clients.length > 0 && (
        <Text size="sm" mt="sm">
          {t('delete.clients', { count: clients.length })} <bdi>{clients.join(', ')}</bdi>
        </Text>
      )}
      <Text size="sm" mt="sm">
        {t('delete.forever')}
      </Text>
    </>
  )
}
