import { Badge, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
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
  const all = useQuery({
    queryKey: ['fingerprints', sshPublicKey],
    queryFn: () => keysIn(sshPublicKey),
    placeholderData: (before) => before,
  })
  const { data: keys = [] } = all
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
      <Asked of={all} rows={1}>
        {(rows) => (
          <>
            {rows.length === 0 && (
              <Text size="sm" c="dimmed" mb="md">
                {t('keys.none')}
              </Text>
            )}
            <Listed
              label={t('keys.title')}
              rows={rows}
              said={({ comment, type, fingerprint }) => [comment, type, fingerprint]}
              orders={[{ value: 'name', by: (a, b) => byName(a.comment, b.comment) }]}
            >
              {(shown) => (
                <Stack component="ul" gap={0} mb="lg" className="plain-list rows">
                  {shown.map((key) => (
                    <OneKey key={key.line} of={key} onRemove={() => leave(key)} />
                  ))}
                </Stack>
              )}
            </Listed>
          </>
        )}
      </Asked>
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

function OneKey({ of: { comment, type, fingerprint }, onRemove }: { of: SshKey; onRemove: () => void }) {
  const { t } = useTranslation('account')
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="md" py="sm">
      <div>
        <Group gap="xs">
          <Text fw={600} c="bright">
            <bdi>{comment || t('keys.unnamed')}</bdi>
          </Text>
          <Badge variant="light" color="gray" tt="none">
            {type}
          </Badge>
        </Group>
        <Code className="plain-code">{fingerprint}</Code>
      </div>
      <Button
        size="xs"
        variant="default"
        onClick={onRemove}
        aria-label={t('keys.removeOf', { name: comment || fingerprint })}
      >
        {t('keys.remove')}
      </Button>
    </Group>
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
