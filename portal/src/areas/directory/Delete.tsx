import { Alert, Skeleton, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { Names } from '../../parts/Names.tsx'
import { told } from '../../parts/told.ts'
import type { Resource } from './queries.ts'
import { access, forget, links, remove, waiting } from './queries.ts'
import { ResourceLink } from './ResourceLink.tsx'
import type { Tree } from './tree.ts'

type Props = { of: Resource; tree: Tree; opened: boolean; onClose: () => void }
const first = 8

/** Asks before a resource is deleted, with what goes with it; one with others below it stays, and it is said which. */
export function DeleteResource({ of, tree, opened, onClose }: Props) {
  const { t } = useTranslation('directory')
  const { id, name } = of
  const navigate = useNavigate()
  const search = useSearch({ from: '/admin/directory' })
  const below = tree.below.get(id) ?? []
  const deleting = useMutation({
    mutationFn: () => remove(id),
    onSuccess: async () => {
      onClose()
      told(t('delete.done', { name }))
      await navigate({ to: '/admin/directory', search: { ...search, id: undefined } })
      await forget(id)
    },
  })
  if (below.length > 0)
    return (
      <Dialog opened={opened} onClose={onClose} title={t('delete.cannot', { name })}>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {t('delete.below', { count: below.length })}
        </Alert>
        <ul className="plain-list directory-list">
          {below.slice(0, first).map((one) => (
            <li key={one.id}>
              <ResourceLink one={one} />
            </li>
          ))}
        </ul>
        {below.length > first && (
          <Text size="sm" c="dimmed">
            {t('find.more', { count: below.length - first })}
          </Text>
        )}
      </Dialog>
    )
  return (
    <Confirm
      opened={opened}
      onClose={() => {
        onClose()
        deleting.reset()
      }}
      title={t('delete.title', { name })}
      action={t('delete.action')}
      onConfirm={() => deleting.mutate()}
      busy={deleting.isPending}
      error={deleting.error}
      typed={of.slug}
    >
      {opened && <Losses of={of} />}
    </Confirm>
  )
}

function Losses({ of }: { of: Resource }) {
  const { t } = useTranslation('directory')
  const people = useQuery({ ...access(of), staleTime: 0 })
  const linked = useQuery({ ...links(of.id), staleTime: 0 })
  const { data: requests = [] } = useQuery(waiting(of.id))
  const failed = [people, linked].find(({ error }) => error)
  if (failed) return <Failed error={failed.error} onRetry={failed.refetch} />
  if (!people.data || !linked.data) return <Skeleton height={64} role="status" aria-label={t('counting')} />
  const groups = linked.data.map(({ groupCn }) => groupCn).join(', ')
  return (
    <>
      <Text size="sm" mb={6}>
        {t('delete.people', { count: people.data.length, name: of.name })}
      </Text>
      <Names dns={people.data} />
      {linked.data.length > 0 && (
        <Text size="sm" mt="sm">
          {t('delete.links', { count: linked.data.length, groups })}
        </Text>
      )}
      {requests.length > 0 && (
        <Text size="sm" mt="sm">
          {t('delete.requests', { count: requests.length })}
        </Text>
      )}
      {of.kind === 'oauth' && (
        <Text size="sm" mt="sm">
          {t('delete.client')}
        </Text>
      )}
      <Text size="sm" mt="sm">
        {t('delete.forever')}
      </Text>
    </>
  )
}
