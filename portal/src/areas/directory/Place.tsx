import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconPlus } from '../../parts/icons.tsx'
import { LayeredGraph } from '../../parts/LayeredGraph.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { AddEdge } from './AddEdge.tsx'
import { kindIcons, parentKinds } from './kinds.ts'
import type { Edge, Resource } from './queries.ts'
import { edges, removeEdge } from './queries.ts'
import { ResourceLink } from './ResourceLink.tsx'
import type { Tree } from './tree.ts'

const pageSize = 25

/** What it lies below and what lies below it, as lists that can be changed and as a picture. */
export function Place({ of, tree }: { of: Resource; tree: Tree }) {
  const { t } = useTranslation('directory')
  const { data, error, refetch } = useQuery(edges(of.id))
  const [adds, add] = useState<'parent' | 'child'>()
  const [leaving, leave] = useState<Edge>()
  const holds = Object.values(parentKinds).some((kinds) => kinds.includes(of.kind))
  const above = data?.filter(({ childId }) => childId === of.id) ?? []
  const below = data?.filter(({ parentId }) => parentId === of.id) ?? []
  return (
    <Panel title={t('place.title')} lead={t('place.lead')}>
      {error && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={2} height={56} />}
      {data && (
        <>
          {parentKinds[of.kind].length > 0 && (
            <Neighbours
              title={t('place.above', { count: above.length })}
              action={t('place.addAbove')}
              onAdd={() => add('parent')}
            >
              <Lines
                label={t('place.listAbove')}
                edges={above}
                end="parentId"
                {...{ tree, onLeave: leave }}
              />
            </Neighbours>
          )}
          {holds && (
            <Neighbours
              title={t('place.below', { count: below.length })}
              action={t('place.addBelow')}
              onAdd={() => add('child')}
            >
              <Lines label={t('place.listBelow')} edges={below} end="childId" {...{ tree, onLeave: leave }} />
            </Neighbours>
          )}
          {data.length > 0 && (
            <div className="directory-picture">
              <Picture of={of} tree={tree} />
            </div>
          )}
        </>
      )}
      <AddEdge of={of} tree={tree} as={adds} onClose={() => add(undefined)} />
      <Part edge={leaving} tree={tree} onClose={() => leave(undefined)} />
    </Panel>
  )
}

type NeighboursProps = { title: string; action: string; onAdd: () => void; children: ReactNode }

function Neighbours({ title, action, onAdd, children }: NeighboursProps) {
  return (
    <section aria-label={title} className="directory-neighbours">
      <Group justify="space-between" gap="sm">
        <Text component="h3" fz="sm" fw={600} m={0} c="bright">
          {title}
        </Text>
        <Button size="xs" variant="default" onClick={onAdd} leftSection={<IconPlus size={16} aria-hidden />}>
          {action}
        </Button>
      </Group>
      {children}
    </section>
  )
}

type LinesProps = {
  label: string
  edges: Edge[]
  end: 'parentId' | 'childId'
  tree: Tree
  onLeave: (edge: Edge) => void
}

function Lines({ label, edges, end, tree, onLeave }: LinesProps) {
  const { t } = useTranslation(['directory', 'app'])
  const [limit, extend] = useState(pageSize)
  const named = edges.map((edge) => ({ edge, one: tree.all.get(edge[end]) }))
  return (
    <Listed
      {...{ as: end === 'parentId' ? 'above' : 'below', label, few: 10, rows: named }}
      said={({ one }) => [one?.name, one?.slug]}
      orders={[{ value: 'name', by: (a, b) => byName(a.one?.name ?? '', b.one?.name ?? '') }]}
    >
      {(found) => (
        <>
          <ul className="plain-list rows">
            {found.slice(0, limit).map(({ edge, one }) => {
              const name = one?.name ?? edge[end]
              return (
                <li key={edge.id} className="directory-row">
                  <span className="grows">{one ? <ResourceLink one={one} /> : name}</span>
                  {edge.relation !== 'contains' && (
                    <Text component="span" size="sm" c="dimmed">
                      {edge.relation}
                    </Text>
                  )}
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t(end === 'parentId' ? 'place.leaveOf' : 'place.partOf', { name })}
                    onClick={() => onLeave(edge)}
                  >
                    {t('place.part')}
                  </Button>
                </li>
              )
            })}
          </ul>
          {found.length > limit && (
            <Button size="xs" variant="default" mt="xs" onClick={() => extend(limit + 2 * pageSize)}>
              {t('app:more')}
            </Button>
          )}
        </>
      )}
    </Listed>
  )
}

function Picture({ of, tree }: { of: Resource; tree: Tree }) {
  const { t } = useTranslation('directory')
  const ties = useMemo(() => tiesAround(tree, of.id), [tree, of.id])
  const nameOf = (id: string) => tree.all.get(id)?.name ?? id
  const Icon = kindIcons[of.kind]
  return (
    <LayeredGraph
      label={t('place.graph', { name: of.name })}
      middle={of.id}
      ties={ties}
      node={(id) => {
        const one = tree.all.get(id)
        if (one && id !== of.id) return <ResourceLink one={one} className="" />
        return (
          <span aria-current="true" title={of.name}>
            <Icon size={16} stroke={2} aria-hidden />
            <bdi>{of.name}</bdi>
          </span>
        )
      }}
      said={({ from, to }) => t('place.said', { above: nameOf(from), below: nameOf(to) })}
    />
  )
}

/** The ties of all that is above and of all that is below. */
function tiesAround({ all, below }: Tree, id: string) {
  const ties = new Map<string, { from: string; to: string }>()
  const tie = (from: string, to: string) => ties.set(`${from} ${to}`, { from, to })
  const up = new Set([id])
  for (const each of up)
    for (const parent of all.get(each)?.parents ?? []) {
      if (!all.has(parent)) continue
      up.add(parent)
      tie(parent, each)
    }
  const down = new Set([id])
  for (const each of down)
    for (const child of below.get(each) ?? []) {
      down.add(child.id)
      tie(each, child.id)
    }
  return [...ties.values()]
}

/** Asks before one is taken from below another. */
function Part({ edge, tree, onClose }: { edge: Edge | undefined; tree: Tree; onClose: () => void }) {
  const { t } = useTranslation('directory')
  const above = tree.all.get(edge?.parentId ?? '')
  const below = tree.all.get(edge?.childId ?? '')
  const names = { above: above?.name ?? '', below: below?.name ?? '' }
  const left = (below?.parents.length ?? 1) - 1
  const parting = useMutation({
    mutationFn: () => removeEdge(edge?.id ?? ''),
    onSuccess: () => {
      onClose()
      told(t('place.parted', names))
    },
  })
  return (
    <Confirm
      opened={edge !== undefined}
      onClose={() => {
        onClose()
        parting.reset()
      }}
      title={t('place.partTitle', names)}
      action={t('place.part')}
      onConfirm={() => parting.mutate()}
      busy={parting.isPending}
      error={parting.error}
    >
      {left > 0 ? t('place.partText', { ...names, count: left }) : t('place.partLast', names)}{' '}
      {t('place.nobody')}
    </Confirm>
  )
}
