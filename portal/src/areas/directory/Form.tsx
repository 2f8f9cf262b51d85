import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { focused } from '../../parts/focused.ts'
import { told } from '../../parts/told.ts'
import { FindResource } from './FindResource.tsx'
import { parentKinds } from './kinds.ts'
import { MetadataFields } from './MetadataFields.tsx'
import { badLine, metadataOf, typedOf } from './metadata.ts'
import type { Resource } from './queries.ts'
import { create, update } from './queries.ts'
import type { Kind } from './search.ts'
import { kinds } from './search.ts'
import type { Tree } from './tree.ts'

type Props = {
  tree: Tree
  /** What is edited; a new one without. */
  of?: Resource
  /** What a new one lies below. */
  below?: string
  opened: boolean
  onClose: () => void
}

/** Makes a resource, or edits what is said of one. */
export function ResourceForm(props: Props) {
  const { of, below, tree, opened, onClose } = props
  const { t } = useTranslation('directory')
  const name = of?.name ?? tree.all.get(below ?? '')?.name
  const title = of ? 'form.editTitle' : below ? 'form.belowTitle' : 'form.title'
  return (
    <Dialog opened={opened} onClose={onClose} title={t(title, { name })} size="lg">
      <Fields {...props} />
    </Dialog>
  )
}

/** Applications have fields of a client, and are made where these are. */
const made = kinds.filter((kind) => kind !== 'oauth')

function Fields({ tree, of, below, onClose }: Props) {
  const { t } = useTranslation(['directory', 'app'])
  const navigate = useNavigate()
  const above = tree.all.get(below ?? '')
  const offered = above ? made.filter((kind) => parentKinds[kind].includes(above.kind)) : made
  const [kind, setKind] = useState<Kind>(of?.kind ?? offered[0] ?? 'site')
  const [given, give] = useState({
    ...{
      name: of?.name ?? '',
      description: of?.description ?? '',
      slug: of?.slug ?? '',
      owner: of?.owner ?? '',
    },
    ...typedOf(of?.metadata ?? {}),
  })
  const [parent, setParent] = useState(below)
  const [finds, find] = useState(false)
  const bad = badLine(given.more)
  const saving = useMutation({
    mutationFn: async () => {
      const { name, description, slug, owner } = given
      const body = {
        ...{ name: name.trim(), description, owner: owner.trim() || null },
        ...(slug ? { slug } : {}),
        metadata: metadataOf(given, of?.metadata ?? {}),
      }
      if (of) return update(of.id, body)
      const id = await create({ ...body, kind, parents: parent ? [parent] : [] })
      await navigate({ to: '/admin/directory', search: { id } })
    },
    onSuccess: () => {
      onClose()
      told(t(of ? 'form.edited' : 'form.made', { name: given.name }))
    },
  })
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (bad === undefined) saving.mutate()
  }
  if (finds)
    return (
      <>
        <FindResource
          tree={tree}
          kinds={parentKinds[kind]}
          except={[]}
          onChoose={(id) => {
            setParent(id)
            find(false)
          }}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => find(false)}>
            {t('form.back')}
          </Button>
        </Group>
      </>
    )
  const parentName = tree.all.get(parent ?? '')?.name
  return (
    <form onSubmit={save}>
      <Stack gap="md">
        {!of && (
          <NativeSelect
            label={t('kind')}
            description={t('form.apps')}
            data={offered.map((value) => ({ value, label: t(`kinds.${value}`) }))}
            value={kind}
            onChange={({ currentTarget: { value } }) => {
              setKind(kinds.find((each) => each === value) ?? kind)
              if (!below) setParent(undefined)
            }}
          />
        )}
        <TextInput
          ref={focused}
          label={t('fields.name')}
          value={given.name}
          onChange={({ currentTarget: { value: name } }) => give({ ...given, name })}
          maxLength={200}
          required
          autoComplete="off"
          data-autofocus
        />
        {!of && parentKinds[kind].length > 0 && !below && (
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Text size="sm">{parentName ? t('form.under', { name: parentName }) : t('form.nowhere')}</Text>
            <Button size="xs" variant="default" flex="none" onClick={() => find(true)}>
              {t('form.choose')}
            </Button>
          </Group>
        )}
        <Textarea
          label={t('fields.description')}
          value={given.description}
          onChange={({ currentTarget: { value: description } }) => give({ ...given, description })}
          maxLength={2000}
          autosize
          minRows={2}
          maxRows={6}
        />
        <div className="directory-fields">
          <TextInput
            label={t('fields.slug')}
            description={t('form.slugHint')}
            value={given.slug}
            onChange={({ currentTarget: { value: slug } }) => give({ ...given, slug })}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
          />
          <TextInput
            label={t('fields.owner')}
            description={t('form.ownerHint')}
            value={given.owner}
            onChange={({ currentTarget: { value: owner } }) => give({ ...given, owner })}
            maxLength={256}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <MetadataFields
          kind={kind}
          typed={given}
          bad={bad}
          onType={(typed) => give({ ...given, ...typed })}
        />
        {saving.error && <Failed error={saving.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('app:cancel')}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {t(of ? 'app:save' : 'form.make')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
