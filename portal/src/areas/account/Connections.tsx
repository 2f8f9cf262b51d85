import { Avatar, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconPlug } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { AccessTokens } from './AccessTokens.tsx'
import type { Grant } from './queries.ts'
import { grants, revokeGrant } from './queries.ts'
import { useTask } from './useTask.ts'

const told = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

/** Applications that know me, and programs that act for me. */
export function Connections() {
  return (
    <>
      <Applications />
      <AccessTokens />
    </>
  )
}

function Applications() {
  const { t } = useTranslation('account')
  const { data, error, refetch } = useQuery(grants)
  const [leaving, leave] = useState<Grant>()
  const revoking = useTask<Grant>({
    does: ({ client_id }) => revokeGrant(client_id),
    says: t('grants.revoked'),
    renews: grants.queryKey,
    after: () => leave(undefined),
  })
  const name = leaving?.name
  return (
    <Panel title={t('grants.title')} lead={t('grants.lead')}>
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !data && <Loading rows={2} />}
      {data?.length === 0 && (
        <Empty icon={IconPlug} title={t('grants.none.title')}>
          {t('grants.none.text')}
        </Empty>
      )}
      <Stack component="ul" gap={0} className="plain-list rows">
        {data?.map((grant) => (
          <OneGrant key={grant.client_id} grant={grant} onRevoke={() => leave(grant)} />
        ))}
      </Stack>
      <Confirm
        opened={leaving !== undefined}
        onClose={() => leave(undefined)}
        title={t('grants.revokeTitle', { name })}
        action={t('grants.revoke')}
        onConfirm={() => leaving && revoking.mutate(leaving)}
        busy={revoking.isPending}
        error={revoking.error}
      >
        {t('grants.revokeText', { name })}
      </Confirm>
    </Panel>
  )
}

function OneGrant({ grant, onRevoke }: { grant: Grant; onRevoke: () => void }) {
  const { t } = useTranslation('account')
  const { name, scopes, granted_on, last_used_on, logo_uri } = grant
  const scopeName = (scope: string) => {
    const known = told.find((each) => each === scope)
    return known ? t(`scopes.${known}`) : scope
  }
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="md" py="sm">
      <Avatar
        src={/^https:/.test(logo_uri ?? '') ? logo_uri : null}
        name={name}
        color="brand"
        radius="md"
        alt=""
      />
      <div className="grows">
        <Text fw={600} c="bright">
          <bdi>{name}</bdi>
        </Text>
        <Group gap={6} my={4}>
          {scopes.map((scope) => (
            <Badge key={scope} variant="light" color="gray" tt="none" fw={500}>
              {scopeName(scope)}
            </Badge>
          ))}
        </Group>
        <Text size="sm" c="dimmed">
          {t('grants.since')} <Time at={granted_on} />
          {last_used_on !== undefined && (
            <>
              {' · '}
              {t('grants.used')} <Time at={last_used_on} />
            </>
          )}
        </Text>
      </div>
      <Button size="xs" variant="default" onClick={onRevoke} aria-label={t('grants.revokeOf', { name })}>
        {t('grants.revoke')}
      </Button>
    </Group>
  )
}
