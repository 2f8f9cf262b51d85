import { Alert, Button, Group as Row, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconSearch } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import { Chain } from './Chain.tsx'
import { gains } from './changes.ts'
import { Names } from './Names.tsx'
import { isSame, nameOf } from './names.ts'
import type { Group } from './queries.ts'
import { foundGroups, nesting } from './queries.ts'

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
        <Choose group={group} onChoose={choose} opened={opened} />
      ) : (
        <Preview group={group} child={child} onBack={() => choose(undefined)} onClose={onClose} />
      )}
    </Dialog>
  )
}

type ChooseProps = { group: Group; opened: boolean; onChoose: (cn: string) => void }

function Choose({ group, opened, onChoose }: ChooseProps) {
  const { t } = useTranslation('groups')
  const [typed, type] = useState('')
  const [q] = useDebouncedValue(typed.trim(), 200)
  const { data, error, refetch } = useQuery({ ...foundGroups(q), enabled: opened })
  const found = data?.filter(({ cn }) => !isSame(cn, group.cn))
  const isNested = (cn: string) => group.member.some((dn) => isSame(nameOf(dn), cn))
  return (
    <>
      <TextInput
        type="search"
        label={t('nest.find')}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        leftSection={<IconSearch size={18} stroke={1.75} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className="groups-found" aria-live="polite">
        {error && <Failed error={error} onRetry={refetch} />}
        {found?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('unfound.title')}
          </Text>
        )}
        <ul className="plain-list groups-people">
          {found?.map(({ cn, description }) => (
            <li key={cn}>
              <div className="groups-who">
                <Text component="span" fw={600} c="bright" truncate>
                  <bdi>{cn}</bdi>
                </Text>
                <Text component="span" size="sm" c="dimmed" truncate>
                  {description}
                </Text>
              </div>
              <div className="groups-end">
                {isNested(cn) ? (
                  <Text size="sm" c="dimmed">
                    {t('nest.already')}
                  </Text>
                ) : (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('nest.chooseOf', { name: cn })}
                    onClick={() => onChoose(cn)}
                  >
                    {t('nest.choose')}
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}

type PreviewProps = { group: Group; child: string; onBack: () => void; onClose: () => void }

function Preview({ group: { cn: group }, child, onBack, onClose }: PreviewProps) {
  const { t } = useTranslation('groups')
  const { data, error, refetch } = useQuery(gains(group, child))
  const saving = useMutation({
    mutationFn: () => nesting.add({ group, child }),
    onSuccess: () => {
      onClose()
      told(t('nest.done', { group, child }))
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Stack gap="md" aria-live="polite">
        {error && <Failed error={error} onRetry={refetch} />}
        {!data && !error && <Skeleton height={64} role="status" aria-label={t('counting')} />}
        {data?.loop && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('nest.loop')}>
            {t('nest.loopPath', { group, child })}
            <Chain className="groups-loop" of={data.loop} label={t('nest.loopName')} />
          </Alert>
        )}
        {data && !data.loop && (
          <div>
            <Text size="sm" mb={6}>
              {data.gain.length === 0
                ? t('nest.noGain', { group, child })
                : t('nest.gain', { count: data.gain.length, group })}
            </Text>
            <Names dns={data.gain} />
          </div>
        )}
        {saving.error && <Failed error={saving.error} />}
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t('nest.back')}
          </Button>
          {!data?.loop && (
            <Button type="submit" loading={saving.isPending} disabled={!data} data-autofocus>
              {t('nest.save')}
            </Button>
          )}
        </Row>
      </Stack>
    </form>
  )
}
