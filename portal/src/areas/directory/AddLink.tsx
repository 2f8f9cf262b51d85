import { Button, Group, Radio, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { FindGroup } from '../../parts/FindGroup.tsx'
import { focused } from '../../parts/focused.ts'
import { Names } from '../../parts/Names.tsx'
import { isSame, without } from '../../parts/names.ts'
import { told } from '../../parts/told.ts'
import type { Link, Resource } from './queries.ts'
import { access, addLink, peopleIn } from './queries.ts'

type Props = { of: Resource; linked: Link[]; opened: boolean; onClose: () => void }

/** Finds a group, says who reaches the resource by it, and links it. */
export function AddLink({ of, linked, opened, onClose }: Props) {
  const { t } = useTranslation('directory')
  const [group, choose] = useState<string>()
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => choose(undefined)}
      title={
        group === undefined
          ? t('links.addTitle', { name: of.name })
          : t('links.addTitleOf', { name: of.name, group })
      }
    >
      {group === undefined ? (
        <Choose linked={linked} onChoose={choose} />
      ) : (
        <Preview of={of} group={group} onBack={() => choose(undefined)} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Choose({ linked, onChoose }: { linked: Link[]; onChoose: (cn: string) => void }) {
  const { t } = useTranslation('directory')
  const isLinked = (cn: string) => linked.some(({ groupCn }) => isSame(groupCn, cn))
  return (
    <FindGroup
      label={t('links.find')}
      already={(cn) =>
        isLinked(cn) && (
          <Text size="sm" c="dimmed">
            {t('links.already')}
          </Text>
        )
      }
      choose={t('find.choose')}
      chooseOf={(name) => t('find.chooseOf', { name })}
      onChoose={onChoose}
    />
  )
}

type PreviewProps = { of: Resource; group: string; onBack: () => void; onClose: () => void }

function Preview({ of, group, onBack, onClose }: PreviewProps) {
  const { t } = useTranslation('directory')
  const [accessLevel, level] = useState<'access' | 'admin'>('access')
  const isCounted = [useQuery(access(of)), useQuery(peopleIn(group))].every(({ data }) => data)
  const saving = useMutation({
    mutationFn: () => addLink({ resourceId: of.id, groupCn: group, accessLevel }),
    onSuccess: () => {
      onClose()
      told(t('links.done', { name: of.name, group }))
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
        <Radio.Group
          label={t('links.what')}
          value={accessLevel}
          onChange={(value) => level(value === 'admin' ? 'admin' : 'access')}
        >
          <Stack gap="xs" mt="xs">
            {(['access', 'admin'] as const).map((value) => (
              <Radio
                key={value}
                value={value}
                label={t(`links.level.${value}`)}
                description={t(`links.means.${value}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <div aria-live="polite">
          <Gained of={of} group={group} />
        </div>
        {saving.error && <Failed error={saving.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('find.another')}
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={!isCounted}>
            {t('links.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Who would reach it and does not yet. */
function Gained({ of, group }: { of: Resource; group: string }) {
  const { t } = useTranslation('directory')
  const now = useQuery(access(of))
  const more = useQuery(peopleIn(group))
  const failed = [now, more].find(({ error }) => error)
  if (failed) return <Failed error={failed.error} onRetry={failed.refetch} />
  if (!now.data || !more.data) return <Skeleton height={42} role="status" aria-label={t('counting')} />
  const gained = without(more.data, now.data)
  const values = { name: of.name, group, count: gained.length }
  if (of.metadata.isPublic === true) return <Text size="sm">{t('links.public', values)}</Text>
  return (
    <>
      <Text size="sm" mb={6}>
        {gained.length > 0 ? t('links.gained', values) : t('links.noGain', values)}
      </Text>
      <Names dns={gained} />
    </>
  )
}
