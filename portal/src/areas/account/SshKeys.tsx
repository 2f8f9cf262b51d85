import { Badge, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import type { SshKey } from './fingerprint.ts'
import { keysIn } from './fingerprint.ts'
import { addKey, change } from './queries.ts'
import { useTask } from './useTask.ts'

/** Public keys by which Linux hosts know me. */
export function SshKeys() {
  const { t } = useTranslation('account')
  const me = useMe()
  const { sshPublicKey } = me
  const { data: keys = [] } = useQuery({
    queryKey: ['fingerprints', sshPublicKey],
    queryFn: () => keysIn(sshPublicKey),
  })
  const [leaving, leave] = useState<SshKey>()
  const removing = useTask<SshKey>({
    does: ({ line }) => {
      const rest = keys.filter((key) => key.line !== line).map((key) => key.line)
      return change(me, { sshPublicKey: rest.join('\n') || null })
    },
    says: t('keys.removed'),
    after: () => leave(undefined),
  })
  const name = leaving?.comment || leaving?.fingerprint || leaving?.type
  return (
    <Panel title={t('keys.title')} lead={t('keys.lead')}>
      {keys.length > 0 && (
        <Stack component="ul" gap={0} mb="lg" className="plain-list rows">
          {keys.map((key) => (
            <Group component="li" key={key.line} justify="space-between" wrap="nowrap" gap="md" py="sm">
              <div>
                <Group gap="xs">
                  <Text fw={600} c="bright">
                    <bdi>{key.comment || t('keys.unnamed')}</bdi>
                  </Text>
                  <Badge variant="light" color="gray" tt="none">
                    {key.type}
                  </Badge>
                </Group>
                <Code className="plain-code">{key.fingerprint}</Code>
              </div>
              <Button
                size="xs"
                variant="default"
                onClick={() => leave(key)}
                aria-label={t('keys.removeOf', { name: key.comment || key.fingerprint })}
              >
                {t('keys.remove')}
              </Button>
            </Group>
          ))}
        </Stack>
      )}
      <NewKey />
      <Confirm
        opened={leaving !== undefined}
        onClose={() => leave(undefined)}
        title={t('keys.removeTitle', { name })}
        action={t('keys.remove')}
        onConfirm={() => leaving && removing.mutate(leaving)}
        busy={removing.isPending}
        error={removing.error}
      >
        {t('keys.removeText')} <Code>{leaving?.fingerprint}</Code>
      </Confirm>
    </Panel>
  )
}

function NewKey() {
  const { t } = useTranslation('account')
  const [key, setKey] = useState('')
  const adding = useTask<string>({ does: addKey, says: t('keys.added'), after: () => setKey('') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adding.mutate(key.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Textarea
          label={t('keys.new')}
          description={t('keys.newHint')}
          placeholder="ssh-ed25519 AAAAC3… you@laptop"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={6}
          spellCheck={false}
          autoCapitalize="none"
        />
        {adding.error && <Failed error={adding.error} />}
        <Group>
          <Button type="submit" disabled={key.trim() === ''} loading={adding.isPending}>
            {t('keys.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
