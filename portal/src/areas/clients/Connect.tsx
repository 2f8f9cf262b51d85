import { Button, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { IconKey } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { AppSettings } from './AppSettings.tsx'
import { recipes } from './apps.ts'
import { Endpoints } from './Endpoints.tsx'
import { client, discovery } from './queries.ts'
import { RotateDialog } from './RotateDialog.tsx'
import { baseOf, recipeOf } from './recipes.ts'
import type { Client } from './types.ts'

/** What goes into the application, at any later time. */
export function Connect() {
  const { t } = useTranslation('clients')
  const { id } = useParams({ from: '/admin/applications/$id' })
  const service = useQuery(discovery)
  return (
    <Asked of={useQuery(client(id))}>
      {(one) => (
        <>
          <Identity client={one} />
          <Asked of={service}>
            {(known) => (
              <>
                <Endpoints service={known} />
                <Known client={one} issuer={known.issuer} label={t('connect.recipe')} />
              </>
            )}
          </Asked>
        </>
      )}
    </Asked>
  )
}

function Identity({ client }: { client: Client }) {
  const { t } = useTranslation('clients')
  const [rotates, rotate] = useState(false)
  return (
    <Panel title={t('connect.identity')} lead={t('connect.identityLead', { name: client.name })}>
      <div className="client-values">
        <CopyField label={t('connect.client_id')} value={client.client_id} />
        <div className="copy-field">
          <span className="copy-label">{t('connect.client_secret')}</span>
          <Text size="sm" c="dimmed" mt={4}>
            {t(client.public ? 'connect.noSecret' : 'connect.secretGone')}
          </Text>
          {!client.public && (
            <Button
              mt="xs"
              size="xs"
              variant="default"
              className="client-rotate"
              leftSection={<IconKey size={16} stroke={1.75} aria-hidden />}
              onClick={() => rotate(true)}
            >
              {t('do.rotate.menu')}
            </Button>
          )}
        </div>
      </div>
      <RotateDialog client={client} opened={rotates} onClose={() => rotate(false)} />
    </Panel>
  )
}

/** The settings of one of the known applications; which one is guessed from the redirect URIs. */
function Known({ client, issuer, label }: { client: Client; issuer: string; label: string }) {
  const { t } = useTranslation('clients')
  const [chosen, choose] = useState(() => recipeOf(recipes, client.redirect_uris)?.id ?? '')
  const recipe = recipes.find(({ id }) => id === chosen)
  const base = recipe && baseOf(recipe, client.redirect_uris)
  return (
    <>
      <NativeSelect
        mb="md"
        label={label}
        className="client-known"
        data={[
          { value: '', label: t('connect.noRecipe') },
          ...recipes.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {recipe && (
        <AppSettings
          recipe={recipe}
          given={{ issuer, client_id: client.client_id, ...(base ? { base } : {}) }}
        />
      )}
    </>
  )
}
