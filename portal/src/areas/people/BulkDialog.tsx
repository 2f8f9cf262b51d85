import { Autocomplete, Button, Group, List, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { told } from '../../parts/told.ts'
import { useSaid } from '../../parts/useSaid.ts'
import type { BulkDoing, Outcome } from './bulk.ts'
import { bulk, doToAll, notToOneself } from './bulk.ts'
import type { Listed } from './queries.ts'
import { groupsNamed } from './queries.ts'
import { firstOf, nameOf } from './said.ts'

/** What is asked about, of those who were chosen then. */
export type Asked = { what: BulkDoing; people: readonly Listed[] }
type Props = {
  asked: Asked | undefined
  onClose: () => void
  /** Those it was not done to: they stay chosen. */
  onLeft: (people: readonly Listed[]) => void
}

/** Asks by name and number, does it to one after another, and names those with whom it failed. */
export function BulkDialog({ asked, onClose, onLeft }: Props) {
  const { t } = useTranslation(['people', 'app'])
  const me = useMe()
  // What was asked stays readable while the dialog fades out.
  const last = useRef<Asked>({ what: 'lock', people: [] })
  if (asked) last.current = asked
  const { what, people } = last.current
  const [group, setGroup] = useState('')
  const [typed, setTyped] = useState('')
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const stop = useRef<AbortController>(undefined)
  const whom = notToOneself.includes(what) ? people.filter(({ uid }) => uid !== me.uid) : people
  const count = whom.length
  const { names, more } = firstOf(whom.map(nameOf))
  const running = useMutation({
    mutationFn: async () => {
      const all: Outcome[] = []
      stop.current = new AbortController()
      await doToAll(whom, (who) => bulk[what](who, group.trim()), {
        onOutcome(outcome) {
          all.push(outcome)
          setOutcomes([...all])
        },
        signal: stop.current.signal,
      })
      return all
    },
    onSuccess(all) {
      const well = new Set(all.filter(({ error }) => error === undefined).map(({ who }) => who.uid))
      if (well.size > 0) told(t(`bulk.${what}.done`, { count: well.size, group: group.trim() }))
      if (well.size === all.length) onClose()
      onLeft(people.filter(({ uid }) => !well.has(uid)))
    },
  })
  const failed = outcomes.filter(({ error }) => error !== undefined)
  const isOver = running.isSuccess && failed.length > 0
  const isReady =
    count > 0 && (what !== 'group' || group.trim() !== '') && (what !== 'delete' || typed === String(count))
  return (
    <Dialog
      opened={asked !== undefined}
      onClose={() => {
        stop.current?.abort()
        onClose()
      }}
      title={isOver ? t('bulk.failed', { count: failed.length }) : t(`bulk.${what}.title`, { count })}
      onExitTransitionEnd={() => {
        running.reset()
        setOutcomes([])
        setGroup('')
        setTyped('')
      }}
    >
      {isOver ? (
        <Stack gap="md">
          <Failures failed={failed} />
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              {t('app:close')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            running.mutate()
          }}
        >
          <Stack gap="md">
            <Text size="sm">
              {more > 0 ? t('bulk.whom', { names, count: more }) : `${names}.`}{' '}
              {t(`bulk.${what}.text`, { count })}
              {whom.length < people.length && ` ${t('bulk.notYou')}`}
            </Text>
            {what === 'group' && <GroupField value={group} onChange={setGroup} />}
            {what === 'delete' && (
              <TextInput
                label={t('app:confirm.type', { text: count })}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
                inputMode="numeric"
              />
            )}
            {running.isPending && (
              <Stack gap={4}>
                <Progress
                  value={(100 * outcomes.length) / count}
                  aria-label={t('bulk.progress', { done: outcomes.length, count })}
                />
                <Text size="xs" c="dimmed" role="status">
                  {t('bulk.progress', { done: outcomes.length, count })}
                </Text>
              </Stack>
            )}
            <Group justify="flex-end" gap="xs">
              <Button
                variant="default"
                onClick={() => (running.isPending ? stop.current?.abort() : onClose())}
                data-autofocus={(what !== 'delete' && what !== 'group') || undefined}
              >
                {running.isPending ? t('bulk.stop') : t('app:cancel')}
              </Button>
              <Button
                type="submit"
                {...(what === 'lock' || what === 'delete' ? { color: 'red' } : {})}
                loading={running.isPending}
                disabled={!isReady}
              >
                {t(`bulk.${what}.action`)}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

function Failures({ failed }: { failed: Outcome[] }) {
  const said = useSaid()
  return (
    <List size="sm" className="people-failures">
      {failed.map(({ who, error }) => (
        <List.Item key={who.uid}>
          <strong>{nameOf(who)}</strong> ({who.uid}): {said(error).sentence}
        </List.Item>
      ))}
    </List>
  )
}

function GroupField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('people')
  const [q] = useDebouncedValue(value.trim(), 200)
  const { data = [] } = useQuery(groupsNamed(q))
  return (
    <Autocomplete
      label={t('bulk.group.label')}
      data={data}
      value={value}
      onChange={onChange}
      filter={({ options }) => options}
      comboboxProps={{ withinPortal: false }}
      required
      data-autofocus
    />
  )
}
