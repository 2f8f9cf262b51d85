import { ButtonLink } from '../../parts/links.tsx'
import './clients.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconPlug, IconPlus, IconSearch } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { ClientTable } from './ClientTable.tsx'
import { Filters } from './Filters.tsx'
import { found } from './found.ts'
import { clients } from './queries.ts'

const pageSize = 50

/** Every application that signs people in here. */
export function Clients() {
  const { t } = useTranslation(['clients', 'app'])
  const search = useSearch({ from: '/admin/applications' })
  const navigate = useNavigate()
  const { data: all, error, refetch } = useQuery(clients)
  const [limit, extend] = useState(pageSize)
  const shown = all && found(all, search)
  const off = all?.filter(({ is_valid }) => !is_valid).length ?? 0
  return (
    <>
      <PageHead
        title={t('title')}
        lead={all?.length ? t(off > 0 ? 'leadOff' : 'lead', { count: all.length, off }) : '\u00a0'}
        actions={all?.length !== 0 && <NewButton />}
      />
      {all?.length !== 0 && <Filters search={search} />}
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !all && <Loading rows={6} height={64} />}
      {all?.length === 0 && (
        <Empty icon={IconPlug} title={t('none.title')} action={<NewButton />}>
          {t('none.text')}
        </Empty>
      )}
      {all && all.length > 0 && shown?.length === 0 && (
        <Empty
          icon={IconSearch}
          title={t('unfound.title')}
          action={
            <Button
              variant="default"
              size="xs"
              mt="xs"
              onClick={() => navigate({ to: '/admin/applications', search: {}, replace: true })}
            >
              {t('unfound.clear')}
            </Button>
          }
        >
          {t('unfound.text')}
        </Empty>
      )}
      {shown && shown.length > 0 && <ClientTable rows={shown.slice(0, limit)} />}
      {shown && shown.length > limit && (
        <Button variant="default" mt="md" onClick={() => extend(limit + pageSize)}>
          {t('app:more')}
        </Button>
      )}
    </>
  )
}

function NewButton() {
  const { t } = useTranslation('clients')
  return (
    <ButtonLink to="/admin/applications/new" leftSection={<IconPlus size={18} stroke={1.75} aria-hidden />}>
      {t('connectNew')}
    </ButtonLink>
  )
}
