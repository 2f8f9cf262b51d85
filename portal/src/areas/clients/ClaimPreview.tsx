import { Alert, Button, SimpleGrid, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../api/failure.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconCircleX, IconEye } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Claims } from './Claims.tsx'
import type { Preview } from './changes.ts'
import { preview } from './changes.ts'
import { PersonField } from './PersonField.tsx'
import type { Client } from './types.ts'

/** What an application would be told of somebody, without anybody signing in. */
export function ClaimPreview({ client }: { client: Client }) {
  const { t } = useTranslation('clients')
  const usual = client.scopes.filter((scope) => scope !== 'offline_access').join(' ')
  const [uid, choose] = useState('')
  const [scope, ask] = useState(usual)
  const looking = useMutation({
    mutationFn: (asked: { uid: string; scope: string }) =>
      preview(client.client_id, { uid: asked.uid, ...(asked.scope ? { scope: asked.scope } : {}) }),
  })
  const isUnknown = looking.error instanceof Failure && looking.error.status === 404
  return (
    <Panel title={t('preview.title')} lead={t('preview.lead')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          looking.mutate({ uid: uid.trim(), scope: scope.trim() })
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <PersonField
            label={t('preview.person')}
            value={uid}
            onChange={choose}
            error={isUnknown ? t('preview.unknown', { uid: looking.variables?.uid }) : undefined}
          />
          <TextInput
            label={t('preview.scope')}
            description={t('preview.scopeHint')}
            value={scope}
            onChange={(event) => ask(event.currentTarget.value)}
            spellCheck={false}
            autoCapitalize="none"
          />
        </SimpleGrid>
        <Button
          type="submit"
          mt="md"
          disabled={uid.trim() === ''}
          loading={looking.isPending}
          leftSection={<IconEye size={18} stroke={1.75} aria-hidden />}
        >
          {t('preview.show')}
        </Button>
      </form>
      <div aria-live="polite" className="client-verdict">
        {looking.error && !isUnknown && <Failed error={looking.error} />}
        {looking.data && <Found found={looking.data} uid={looking.variables.uid} name={client.name} />}
      </div>
    </Panel>
  )
}

function Found({ found, uid, name }: { found: Preview; uid: string; name: string }) {
  const { t, i18n } = useTranslation('clients')
  const { granted, refusal, scopes, dropped } = found
  if (!granted) {
    const key = `preview.refused.${refusal?.name ?? ''}`
    const groups = new Intl.ListFormat(i18n.language, { type: 'disjunction' }).format(
      refusal?.allowed_groups ?? [],
    )
    const said = i18n.exists(`clients:${key}`)
      ? t(key as 'preview.refused.GroupRequired', { uid, name, groups })
      : refusal?.message
    return (
      <Alert color="red" icon={<IconCircleX aria-hidden />} title={t('preview.notGranted', { uid })}>
        {said}
      </Alert>
    )
  }
  return (
    <>
      <p className="client-plain">
        {t('preview.granted', { uid, scopes: scopes.join(' ') })}
        {dropped.length > 0 && ` ${t('preview.dropped', { scopes: dropped.join(' ') })}`}
      </p>
      {found.id_token || found.userinfo ? (
        <Claims idToken={found.id_token ?? {}} userinfo={found.userinfo ?? {}} />
      ) : (
        <p className="client-plain">{t('preview.noOpenid')}</p>
      )}
    </>
  )
}
