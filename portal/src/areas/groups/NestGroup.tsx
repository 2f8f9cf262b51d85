import { Button, Group as Row, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { FindGroup } from '../../parts/FindGroup.tsx'
import { focused } from '../../parts/focused.ts'
import { isSame, nameOf } from '../../parts/names.ts'
import { told } from '../../parts/told.ts'
import { Effect, useEffectOf } from './Effect.tsx'
import type { Group } from './queries.ts'
import { nesting } from './queries.ts'

type Props = { group: Group; opened: boolean; onClose: () => void }

/** Finds a group, says who becomes a member by nesting it, and nests it. */
export function NestGroup({ group, opened, onClose }: Props) {
  const { t } = useTranslation('groups')
  const [child, choose] = useState<string>()
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => choose(undefined)}
      title={
        child === undefined
          ? t('nest.title', { group: group.cn })
          : t('nest.titleOf', { group: group.cn, child })
      }
    >
      {child === undefined ? (
        <Choose group={group} onChoose={choose} />
      ) : (
        <Preview group={group} child={child} onBack={() => choose(undefined)} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Choose({ group, onChoose }: { group: Group; onChoose: (cn: string) => void }) {
  const { t } = useTranslation('groups')
  const isNested = (cn: string) => group.member.some((dn) => isSame(nameOf(dn), cn))
  return (
    <FindGroup
      label={t('nest.find')}
      except={(cn) => isSame(cn, group.cn)}
      already={(cn) =>
        isNested(cn) && (
          <Text size="sm" c="dimmed">
            {t('nest.already')}
          </Text>
        )
      }
      choose={t('nest.choose')}
      chooseOf={(name) => t('nest.chooseOf', { name })}
      onChoose={onChoose}
    />
  )
}

type PreviewProps = { group: Group; child: string; onBack: () => void; onClose: () => void }

function Preview({ group: { cn: group }, child, onBack, onClose }: PreviewProps) {
  const { t } = useTranslation('groups')
  const { data } = useEffectOf({ group, change: 'nest', name: child })
  const saving = useMutation({
    mutationFn: () => nesting.add({ group, child }),
    onSuccess: () => {
      onClose()
      told(t('nest.done', { group, child }))
    },
  })
  return (
    <form
      ref={focused}
      tabIndex={-1}
      className="groups-step"
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Stack gap="md">
        <div aria-live="polite">
          <Effect group={group} change="nest" name={child} />
        </div>
        {saving.error && <Failed error={saving.error} />}
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('nest.back')}
          </Button>
          {!data?.loop && (
            <Button type="submit" loading={saving.isPending} disabled={!data}>
              {t('nest.save')}
            </Button>
          )}
        </Row>
      </Stack>
    </form>
  )
}
