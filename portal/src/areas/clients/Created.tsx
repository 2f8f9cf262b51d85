import { Alert, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { IconAlertTriangle, IconCircleCheck } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { AppSettings } from './AppSettings.tsx'
import { Endpoints } from './Endpoints.tsx'
import type { Service } from './RecipeForm.tsx'
import type { Recipe } from './recipes.ts'

/** A new application; its secret is here and nowhere else. */
export type Made = {
  client_id: string
  client_secret?: string
  name: string
  recipe: Recipe | undefined
  base?: string
}

/** What goes into the application: shown once, and not left unasked before the secret was copied. */
export function Created({ made, service }: { made: Made; service: Service }) {
  const { t } = useTranslation('clients')
  const { client_id, client_secret, name, recipe, base } = made
  const [isKept, keep] = useState(client_secret === undefined)
  // The form that stood here ended far below.
  useEffect(() => {
    window.scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <Panel title={t('connect.identity')} lead={t('connect.identityLead', { name })}>
        {client_secret !== undefined && (
          <Alert
            color={isKept ? 'green' : 'yellow'}
            mb="md"
            icon={isKept ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
          >
            {t(isKept ? 'secret.kept' : 'secret.once')}
          </Alert>
        )}
        <div className="client-values">
          <CopyField label={t('connect.client_id')} value={client_id} />
          {client_secret !== undefined && (
            <CopyField label={t('connect.client_secret')} value={client_secret} onCopied={() => keep(true)} />
          )}
        </div>
      </Panel>
      <Endpoints service={service} />
      {recipe && (
        <AppSettings
          recipe={recipe}
          given={{
            issuer: service.issuer,
            client_id,
            ...(client_secret ? { client_secret } : {}),
            ...(base ? { base } : {}),
          }}
          onCopied={() => keep(true)}
        />
      )}
      <Group justify="flex-end" mt="md">
        <ButtonLink to="/admin/applications/$id" params={{ id: client_id }}>
          {t('new.toClient', { name })}
        </ButtonLink>
      </Group>
      <AsksToLeave when={!isKept} title={t('secret.leaveTitle', { name })} action={t('secret.leave')}>
        {t('secret.leaveText', { name })}
      </AsksToLeave>
    </>
  )
}
