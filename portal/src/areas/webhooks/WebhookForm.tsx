import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { EventChoice } from './EventChoice.tsx'
import type { Written } from './queries.ts'

type Props = {
  initial: Written
  action: string
  onSubmit: (written: Written) => void
  busy: boolean
  error: unknown
}

/** Where to tell, and of what; what the service refuses stands at the field it names. */
export function WebhookForm({ initial, action, onSubmit, busy, error }: Props) {
  const { t } = useTranslation('webhooks')
  const [name, setName] = useState(initial.name)
  const [url, setUrl] = useState(initial.url)
  const [events, setEvents] = useState(initial.events)
  const [isEmpty, setEmpty] = useState(false)
  const isChanged = name !== initial.name || url !== initial.url || events.join() !== initial.events.join()
  const refused = refusalOf(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmpty(events.length === 0)
    if (events.length > 0) onSubmit({ name: name.trim(), url: url.trim(), events })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('form.name')}
          required
          withAsterisk={false}
          maxLength={64}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={refused === 'taken' ? t('form.taken') : refused === 'name' && t('form.badName')}
        />
        <TextInput
          label={t('form.url')}
          description={t('form.urlHint')}
          type="url"
          inputMode="url"
          placeholder="https://"
          required
          withAsterisk={false}
          maxLength={2048}
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          error={refused === 'url' && t('form.badUrl')}
        />
        <EventChoice value={events} onChange={setEvents} error={isEmpty && t('events.none')} />
        {error !== null && error !== undefined && !refused && <Failed error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
        <AsksToLeave when={!busy && isChanged} />
      </Stack>
    </form>
  )
}

/** The field that a refusal is about. */
function refusalOf(error: unknown): 'taken' | 'name' | 'url' | undefined {
  if (!(error instanceof Failure)) return undefined
  if (error.name === 'AlreadyExists') return 'taken'
  if (error.name !== 'InvalidInput') return undefined
  return (['name', 'url'] as const).find((field) => error.message.startsWith(`${field} `))
}
