import { Alert, Button, Code, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isPattern } from '../../../../src/oauth/redirect-uri.ts'
import { CopyOf } from '../../parts/CopyField.tsx'
import { IconExternalLink, IconInfoCircle } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { challenged } from './challenged.ts'
import type { Service } from './RecipeForm.tsx'
import type { Client } from './types.ts'

type Props = { client: Client; service: Service }

/** Opens the sign-in as the application would, and says where it ends; only a registered address can receive it. */
export function TestSignIn({ client, service }: Props) {
  const { t } = useTranslation('clients')
  const receivers = client.redirect_uris.filter((uri) => !isPattern(uri))
  const obstacle = !client.is_valid
    ? 'off'
    : !client.grant_types.includes('authorization_code')
      ? 'noCode'
      : receivers.length === 0
        ? 'noReceiver'
        : undefined
  return (
    <Panel title={t('signIn.title')} lead={t('signIn.lead')}>
      {obstacle ? (
        <Alert icon={<IconInfoCircle aria-hidden />}>{t(`signIn.${obstacle}`)}</Alert>
      ) : (
        <Begin client={client} service={service} receivers={receivers} />
      )}
    </Panel>
  )
}

function Begin({ client, service, receivers }: Props & { receivers: string[] }) {
  const { t } = useTranslation(['clients', 'app'])
  const [chosen, choose] = useState(receivers[0] ?? '')
  const redirect_uri = receivers.includes(chosen) ? chosen : (receivers[0] ?? '')
  // One for each time the screen is shown; it proves nothing but that whoever has it began this sign-in.
  const { data: proof, isPending } = useQuery({
    queryKey: ['clients', 'challenge', client.client_id],
    queryFn: challenged,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!isPending && !proof && (client.require_pkce || client.public))
    return <Alert icon={<IconInfoCircle aria-hidden />}>{t('signIn.insecure')}</Alert>
  const address = `${service.authorization_endpoint}?${new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri,
    scope: client.scopes.filter((scope) => scope !== 'offline_access').join(' '),
    state: 'latchkey-test',
    ...(proof ? { code_challenge: proof.challenge, code_challenge_method: 'S256' } : {}),
  })}`
  return (
    <>
      <NativeSelect
        label={t('signIn.receiver')}
        description={t('signIn.receiverHint')}
        data={receivers}
        value={redirect_uri}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <ol className="client-steps">
        <li>{t('signIn.step1', { name: client.name })}</li>
        <li>{t(client.skip_consent ? 'signIn.step2Skipped' : 'signIn.step2', { name: client.name })}</li>
        <li>
          {t('signIn.step3')} <code>{redirect_uri}</code>
        </li>
      </ol>
      <Text size="sm" c="dimmed" mb="md">
        {t('signIn.ends')}
      </Text>
      <Group gap="xs">
        <Button
          component="a"
          href={isPending ? undefined : address}
          target="_blank"
          rel="noopener"
          leftSection={<IconExternalLink size={18} stroke={1.75} aria-hidden />}
        >
          {t('signIn.open')}
        </Button>
        <CopyOf value={address} label={t('signIn.copyAddress')} />
      </Group>
      {proof && (
        <details className="client-more">
          <summary>{t('signIn.redeem')}</summary>
          <Text size="sm" c="dimmed" mb="xs">
            {t('signIn.redeemText')}
          </Text>
          <Code block tabIndex={0} role="group" aria-label={t('signIn.redeem')}>
            {redeeming(client, service, redirect_uri, proof.verifier)}
          </Code>
        </details>
      )}
    </>
  )
}

/** What turns the code from the address into tokens, on somebody's own command line. */
function redeeming(client: Client, service: Service, redirect_uri: string, verifier: string): string {
  const fields = [
    'grant_type=authorization_code',
    `client_id=${client.client_id}`,
    ...(client.public ? [] : ['client_secret=<client_secret>']),
    `redirect_uri=${redirect_uri}`,
    `code_verifier=${verifier}`,
    'code=<code>',
  ]
  const given = fields.map((field) => `  --data-urlencode '${field}'`)
  return [`curl ${service.token_endpoint}`, ...given].join(' \\\n')
}
