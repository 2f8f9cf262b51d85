import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { NewAccessToken } from './NewAccessToken.tsx'
import type { Token } from './queries.ts'
import { revokeToken, tokens } from './queries.ts'
import { useTask } from './useTask.ts'

const orders: [Order<Token>, ...Order<Token>[]] = [
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
  { value: 'newest', by: (a, b) => b.created_on - a.created_on },
  { value: 'used', by: (a, b) => (b.last_used_on ?? 0) - (a.last_used_on ?? 0) },
  { value: 'expires', by: (a, b) => a.expires_at - b.expires_at },
]

/** Tokens by which programs act for me. */
export function AccessTokens() {
  const { t } = useTranslation('account')
  const all = useQuery(tokens)
  const [making, make] = useState(false)
  const [leaving, leave] = useState<Token>()
  const revoking = useTask<Token>({
    does: ({ id }) => revokeToken(id),
    says: t('tokens.revoked'),
    renews: tokens.queryKey,
    after: () => leave(undefined),
  })
  const name = leaving?.name
  return (
    <Panel
      title={t('tokens.title')}
      lead={t('tokens.lead')}
      action={
        <Button leftSection={<IconPlus size={18} />} onClick={() => make(true)}>
          {t('tokens.new')}
        </Button>
      }
    >
      <Asked of={all} rows={2}>
        {(rows) => (
          <>
            {rows.length === 0 && (
              <Empty icon={IconKey} title={t('tokens.none.title')}>
                {t('tokens.none.text')}
              </Empty>
            )}
            <Listed
              label={t('tokens.title')}
              as="tokens"
              rows={rows}
              said={({ name, scope }) => [name, t(`tokens.scope.${scope}`)]}
              orders={orders}
            >
              {(shown) => (
                <Stack component="ul" gap={0} className="plain-list rows">
                  {shown.map((token) => (
                    <OneToken key={token.id} token={token} onRevoke={() => leave(token)} />
                  ))}
                </Stack>
              )}
            </Listed>
          </>
        )}
      </Asked>
      <NewAccessToken opened={making} onClose={() => make(false)} />
      <Confirm
        opened={leaving !== undefined}
        onClose={() => leave(undefined)}
        title={t('tokens.revokeTitle', { name })}
        action={t('tokens.revoke')}
        onConfirm={() => leaving && revoking.mutate(leaving)}
        busy={revoking.isPending}
        error={revoking.error}
      >
        {t('tokens.revokeText', { name })}
      </Confirm>
    </Panel>
  )
}

function OneToken({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { t } = useTranslation('account')
  const { name, scope, expires_at, last_used_on } = token
  return (
    <Group component="li" wrap="nowrap" gap="md" py="sm">
      <div className="grows">
        <Group gap="xs">
          <Text fw={600} c="bright">
            <bdi>{name}</bdi>
          </Text>
          <Badge variant="light" color={scope === 'write' ? 'yellow' : 'gray'} tt="none">
            {t(`tokens.scope.${scope}`)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {t('tokens.expires')} <Time at={expires_at} /> ·{' '}
          {last_used_on === null ? t('tokens.unused') : t('tokens.used')}{' '}
          {last_used_on !== null && <Time at={last_used_on} />}
        </Text>
      </div>
      <Button size="xs" variant="default" onClick={onRevoke} aria-label={t('tokens.revokeOf', { name })}>
        {t('tokens.revoke')}
      </Button>
    </Group>
  )
}
