import { Badge, Button, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { mayUse, useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconMapQuestion, IconPencil, IconPlus, IconTrash } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Access } from './Access.tsx'
import { DeleteResource } from './Delete.tsx'
import { Facts } from './Facts.tsx'
import { ResourceForm } from './Form.tsx'
import { kindIcons, parentKinds } from './kinds.ts'
import { Links } from './Links.tsx'
import { Place } from './Place.tsx'
import type { Resource } from './queries.ts'
import { resource } from './queries.ts'
import type { Tree } from './tree.ts'
import { Waiting } from './Waiting.tsx'

type Doing = 'edit' | 'below' | 'delete'

/** One resource: what it is, where it lies, who reaches it and why. */
export function One({ id, tree }: { id: string; tree: Tree }) {
  const { t } = useTranslation('directory')
  const { data, error, refetch } = useQuery(resource(id))
  if (error instanceof Failure && error.name === 'NotFound')
    return (
      <Empty icon={IconMapQuestion} title={t('gone.title')}>
        {t('gone.text')}
      </Empty>
    )
  if (error && !data) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Loading rows={4} height={130} />
  return <Whole of={data} tree={tree} />
}

function Whole({ of, tree }: { of: Resource; tree: Tree }) {
  const { t } = useTranslation('directory')
  const me = useMe()
  const [doing, start] = useState<Doing>()
  const { kind, name, slug, metadata } = of
  const Icon = kindIcons[kind]
  const onClose = () => start(undefined)
  const holds = Object.values(parentKinds).some((kinds) => kinds.includes(kind))
  return (
    <article aria-label={name}>
      <header className="directory-head">
        <Icon size={30} stroke={1.5} className="directory-sign" aria-hidden />
        <div className="grows">
          <Title order={2}>
            <bdi>{name}</bdi>
          </Title>
          <Group gap="xs">
            <Text component="span" size="sm" c="dimmed">
              {t(`kinds.${kind}`)} · <bdi>{slug}</bdi>
            </Text>
            {metadata.isPublic === true && <Mark>{t('fields.isPublic')}</Mark>}
            {metadata.requestable === true && <Mark>{t('fields.requestable')}</Mark>}
          </Group>
        </div>
        <Group gap="xs">
          <Button size="xs" onClick={() => start('edit')} leftSection={<IconPencil {...small} />}>
            {t('form.edit')}
          </Button>
          {kind === 'oauth' && mayUse(me, 'app_sso_oauth_admin') && (
            <Link
              to="/admin/applications/$id"
              params={{ id: of.id }}
              className="directory-link"
              preload={false}
            >
              {t('settings')}
            </Link>
          )}
          {holds && kind !== 'oauth' && (
            <Button
              size="xs"
              variant="default"
              onClick={() => start('below')}
              leftSection={<IconPlus {...small} />}
            >
              {t('form.below')}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => start('delete')}
            leftSection={<IconTrash {...small} />}
          >
            {t('delete.open')}
          </Button>
        </Group>
      </header>
      <Facts of={of} tree={tree} />
      <Place of={of} tree={tree} />
      <Links of={of} />
      <Access of={of} />
      <Waiting id={of.id} />
      <ResourceForm tree={tree} of={of} opened={doing === 'edit'} onClose={onClose} />
      <ResourceForm tree={tree} below={of.id} opened={doing === 'below'} onClose={onClose} />
      <DeleteResource of={of} tree={tree} opened={doing === 'delete'} onClose={onClose} />
    </article>
  )
}

const small = { size: 16, stroke: 2, 'aria-hidden': true } as const

function Mark({ children }: { children: string }) {
  return (
    <Badge component="span" variant="light" size="sm" tt="none">
      {children}
    </Badge>
  )
}
