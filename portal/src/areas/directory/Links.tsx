import { Badge, Button, Skeleton, Text } from '@mantine/core'
import { useMutation, useQueries, useQuery } from '@tanstack/react-query'
import { Link as To } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconLink, IconUsersGroup } from '../../parts/icons.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Names } from '../../parts/Names.tsx'
import { byName, without } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { AddLink } from './AddLink.tsx'
import type { Link, Resource } from './queries.ts'
import { links, peopleIn, removeLink } from './queries.ts'

/** The groups whose members reach a resource, and what each link means. */
export function Links({ of }: { of: Resource }) {
  const { t } = useTranslation('directory')
  const { data, error, refetch } = useQuery(links(of.id))
  const [adds, add] = useState(false)
  const [leaving, leave] = useState<Link>()
  return (
    <Panel
      title={t('links.title', { count: data?.length ?? 0 })}
      lead={t(of.kind === 'oauth' ? 'links.leadApp' : 'links.lead')}
      action={
        <Button
          size="xs"
          onClick={() => add(true)}
          leftSection={<IconLink size={16} stroke={2} aria-hidden />}
        >
          {t('links.add')}
        </Button>
      }
    >
      {error && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={1} height={56} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('links.none')}
        </Text>
      )}
      <Listed
        {...{ as: 'by', label: t('links.list'), few: 10, rows: data ?? [] }}
        said={({ groupCn }) => [groupCn]}
        orders={[{ value: 'name', by: (a, b) => byName(a.groupCn, b.groupCn) }]}
      >
        {(shown) => (
          <ul className="plain-list rows" aria-label={t('links.list')}>
            {shown.map((link) => (
              <li key={link.id} className="directory-row">
                <IconUsersGroup size={20} stroke={1.75} aria-hidden className="muted" />
                <span className="grows">
                  <GroupName cn={link.groupCn} />
                  <Text component="span" size="sm" c="dimmed" display="block">
                    {t(`links.means.${link.accessLevel}`)}
                  </Text>
                </span>
                {link.accessLevel === 'admin' && (
                  <Badge component="span" variant="light" color="yellow" tt="none">
                    {t('links.level.admin')}
                  </Badge>
                )}
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('links.removeOf', { group: link.groupCn })}
                  onClick={() => leave(link)}
                >
                  {t('links.remove')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <AddLink of={of} linked={data ?? []} opened={adds} onClose={() => add(false)} />
      <Unlink of={of} link={leaving} all={data ?? []} onClose={() => leave(undefined)} />
    </Panel>
  )
}

function GroupName({ cn }: { cn: string }) {
  const home = mayUse(useMe(), 'app_sso_admin') ? '/admin/groups/$name' : '/groups/$name'
  return (
    <To to={home} params={{ name: cn }} className="directory-link" preload={false}>
      <bdi>{cn}</bdi>
    </To>
  )
}

type UnlinkProps = { of: Resource; link: Link | undefined; all: Link[]; onClose: () => void }

/** Asks before a link goes, with who reaches the resource by it alone. */
function Unlink({ of, link, all, onClose }: UnlinkProps) {
  const { t } = useTranslation('directory')
  const people = useQueries({ queries: link ? all.map(({ groupCn }) => peopleIn(groupCn)) : [] })
  const removing = useMutation({
    mutationFn: () => removeLink(link?.id ?? ''),
    onSuccess: () => {
      onClose()
      told(t('links.removed', { name: of.name, group: link?.groupCn ?? '' }))
    },
  })
  return (
    <Confirm
      opened={link !== undefined}
      onClose={() => {
        onClose()
        removing.reset()
      }}
      title={t('links.removeTitle', { name: of.name, group: link?.groupCn ?? '' })}
      action={t('links.remove')}
      onConfirm={() => removing.mutate()}
      busy={removing.isPending}
      ready={people.every(({ data }) => data !== undefined)}
      error={removing.error}
    >
      {link && <Lost of={of} link={link} others={all.filter(({ id }) => id !== link.id)} />}
    </Confirm>
  )
}

function Lost({ of, link, others }: { of: Resource; link: Link; others: Link[] }) {
  const { t } = useTranslation('directory')
  const groups = [link, ...others].map(({ groupCn }) => groupCn)
  const people = useQueries({ queries: groups.map((group) => peopleIn(group)) })
  const failed = people.find(({ error }) => error)
  if (failed) return <Failed error={failed.error} onRetry={failed.refetch} />
  if (people.some(({ data }) => data === undefined))
    return <Skeleton height={42} role="status" aria-label={t('counting')} />
  const [own = [], ...rest] = people.map(({ data = [] }) => data)
  const lost = without(own, rest.flat())
  const values = { name: of.name, group: link.groupCn, count: lost.length }
  if (of.metadata.isPublic === true) return t('links.public', values)
  return (
    <>
      <Text size="sm" mb={6}>
        {lost.length > 0 ? t('links.lost', values) : t('links.noLoss', values)}
      </Text>
      <Names dns={lost} />
    </>
  )
}
