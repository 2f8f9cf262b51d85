import { Alert, Button, Group, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { queries } from '../../api/queries.ts'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { told } from '../../parts/told.ts'
import { save } from './changes.ts'
import { Addresses, General, Who } from './FieldsIdentity.tsx'
import { Method, Tokens, Told } from './FieldsProtocol.tsx'
import type { Lifetimes, Values } from './fields.ts'
import { changesOf, valuesOf } from './fields.ts'
import { InDirectory } from './InDirectory.tsx'
import { client as clientQuery } from './queries.ts'
import type { Changes, Client } from './types.ts'
import { useFieldNames } from './useFieldNames.ts'

type Props = { client: Client; usual: Lifetimes }

/** Every field of an application. Only what was changed is sent, and refused when somebody else changed it meanwhile. */
export function SettingsForm({ client, usual }: Props) {
  const { t } = useTranslation(['clients', 'app'])
  const [read, setRead] = useState(client)
  const [theirs, setTheirs] = useState<Client>()
  const form = useForm<Values>({ initialValues: valuesOf(read, usual) })
  const changes = changesOf(valuesOf(read, usual), form.values)
  const count = Object.keys(changes).length
  const show = (now: Client) => {
    setRead(now)
    setTheirs(undefined)
    form.setValues(valuesOf(now, usual))
  }
  // Somebody changed it, or it was switched off: shown as it is now, unless something is being typed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed does not bring anything new
  useEffect(() => {
    if (client.updated_on > read.updated_on && count === 0) show(client)
  }, [client])
  const saving = useMutation({
    mutationFn: (onto: Client) => save(onto, changes),
    onSuccess: (now) => {
      show(now)
      told(t('saved', { name: now.name }))
    },
    onError: async (error) => {
      if (!(error instanceof Failure && error.name === 'Conflict')) return
      setTheirs(await queries.fetchQuery({ ...clientQuery(read.client_id), staleTime: 0 }))
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate(read)
      }}
    >
      <General form={form} />
      <Who form={form} />
      <InDirectory id={read.client_id} />
      <Addresses form={form} />
      <Method form={form} />
      <Told form={form} />
      <Tokens form={form} usual={usual} />
      {theirs ? (
        <Conflict
          {...{ theirs, busy: saving.isPending }}
          theirChanges={changesOf(valuesOf(read, usual), valuesOf(theirs, usual))}
          mine={changes}
          onMine={() => saving.mutate(theirs)}
          onTheirs={() => show(theirs)}
        />
      ) : (
        saving.error && <Failed error={saving.error} />
      )}
      <div className="client-save" data-changed={count > 0 || undefined}>
        <Text size="sm" c="dimmed" aria-live="polite">
          {count > 0 ? t('unsaved', { count }) : t('allSaved')}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={count === 0} onClick={() => show(read)}>
            {t('discard')}
          </Button>
          <Button type="submit" disabled={count === 0} loading={saving.isPending}>
            {t('app:save')}
          </Button>
        </Group>
      </div>
      <AsksToLeave when={count > 0} title={t('leaveUnsaved.title', { count })}>
        {t('leaveUnsaved.text', { name: read.name })}
      </AsksToLeave>
    </form>
  )
}

type ConflictProps = {
  theirs: Client
  theirChanges: Changes
  mine: Changes
  busy: boolean
  onMine: () => void
  onTheirs: () => void
}

/** Somebody else was faster: what they changed, and what becomes of it. */
function Conflict({ theirs, theirChanges, mine, busy, onMine, onTheirs }: ConflictProps) {
  const { t } = useTranslation('clients')
  const names = useFieldNames()
  const both = Object.keys(theirChanges).filter((name) => name in mine)
  return (
    <Alert
      color="yellow"
      mb="md"
      role="alert"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('conflict.title', { who: theirs.updated_by })}
    >
      <p className="client-plain">{t('conflict.theirs', { fields: names(Object.keys(theirChanges)) })}</p>
      <p className="client-plain">
        {both.length > 0 ? t('conflict.both', { fields: names(both) }) : t('conflict.apart')}
      </p>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onTheirs}>
          {t('conflict.takeTheirs')}
        </Button>
        <Button size="xs" loading={busy} onClick={onMine}>
          {t('conflict.saveMine')}
        </Button>
      </Group>
    </Alert>
  )
}
