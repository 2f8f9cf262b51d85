import { Avatar, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { IconPlug } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { byName } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import { Time } from '../../parts/Time.tsx'
import { AccessTokens } from './AccessTokens.tsx'
import type { Grant } from './queries.ts'
import { grants, revokeGrant } from './queries.ts'
import { useTask } from './useTask.ts'

const told = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

const orders: [Order<Grant>, ...Order<Grant>[]] = [
  { value: 'name', by: (a, b) => byName(a.name, b.name) },
  { value: 'used', by: (a, b) => (b.last_used_on ?? 0) - (a.last_used_on ?? 0) },
  { value: 'newest', by: (a, b) => b.granted_on - a.granted_on },
]
const said = ({ name, scopes }: Grant) => [name, ...scopes]

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
  const all = useQuery(grants)
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
      <Asked of={all} rows={2}>
        {(rows) => (
          <>
            {rows.length === 0 && (
              <Empty icon={IconPlug} title={t('grants.none.title')}>
                {t('grants.none.text')}
              </Empty>
            )}
            <Listed label={t('grants.title')} as="apps" rows={rows} said={said} orders={orders}>
              {(shown) => (
                <Stack component="ul" gap={0} className="plain-list rows">
                  {shown.map((grant) => (
                    <OneGrant key={grant.client_id} grant={grant} onRevoke={() => leave(grant)} />
                  ))}
                </Stack>
              )}
            </Listed>
          </>
        )}
      </Asked>
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
