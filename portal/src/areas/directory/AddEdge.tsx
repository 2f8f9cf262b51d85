import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Chain } from '../../parts/Chain.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import { FindResource } from './FindResource.tsx'
import { parentKinds } from './kinds.ts'
import type { Brief, Resource } from './queries.ts'
import { addEdge } from './queries.ts'
import { kinds } from './search.ts'
import type { Tree } from './tree.ts'
import { allBelow, wayDown } from './tree.ts'

type Props = { of: Resource; tree: Tree; as: 'parent' | 'child' | undefined; onClose: () => void }

/** Puts a resource below another; a loop is shown as the path it would close. */
export function AddEdge({ of, tree, as, onClose }: Props) {
  const { t } = useTranslation('directory')
  const [chosen, choose] = useState<string>()
  const its = tree.all.get(of.id)
  const other = tree.all.get(chosen ?? '')
  const isParent = as === 'parent'
  const allowed = isParent
    ? parentKinds[of.kind]
    : kinds.filter((kind) => parentKinds[kind].includes(of.kind))
  const tied = isParent ? of.parents : (tree.below.get(of.id) ?? []).map(({ id }) => id)
  return (
    <Dialog
      opened={as !== undefined}
      onClose={onClose}
      onExitTransitionEnd={() => choose(undefined)}
      title={t(isParent ? 'edge.aboveTitle' : 'edge.belowTitle', { name: of.name })}
    >
      {other && its ? (
        <Tie
          {...(isParent ? { above: other, below: its } : { above: its, below: other })}
          tree={tree}
          onBack={() => choose(undefined)}
          onClose={onClose}
        />
      ) : (
        <FindResource tree={tree} kinds={allowed} except={[of.id, ...tied]} onChoose={choose} />
      )}
    </Dialog>
  )
}

type TieProps = { above: Brief; below: Brief; tree: Tree; onBack: () => void; onClose: () => void }

function Tie({ above, below, tree, onBack, onClose }: TieProps) {
  const { t } = useTranslation('directory')
  const [relation, relate] = useState('')
  const names = { above: above.name, below: below.name }
  const loop = wayDown(tree, below, above.id)
  const count = allBelow(tree, below.id).length
  const saving = useMutation({
    mutationFn: () => addEdge({ parentId: above.id, childId: below.id, ...(relation ? { relation } : {}) }),
    onSuccess: () => {
      onClose()
      told(t('edge.done', names))
    },
  })
  return (
    <form
      ref={focused}
      tabIndex={-1}
      className="directory-step"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Stack gap="md">
        {loop ? (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('edge.loop')}>
            {t('edge.loopText', names)}
            <Chain
              className="chain-loop"
              of={[above.name, ...loop.map(({ name }) => name)]}
              label={t('edge.loopName')}
            />
          </Alert>
        ) : (
          <>
            <Text size="sm">
              {t('edge.text', { ...names, count })} {t('place.nobody')}
            </Text>
            <TextInput
              label={t('edge.relation')}
              description={t('edge.relationHint')}
              placeholder="contains"
              value={relation}
              onChange={({ currentTarget: { value } }) => relate(value.trim().toLowerCase())}
              maxLength={32}
              autoComplete="off"
            />
          </>
        )}
        {saving.error && <Failed error={saving.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('find.another')}
          </Button>
          {!loop && (
            <Button type="submit" loading={saving.isPending}>
              {t('edge.save')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
