import './apps.css'
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconBook, IconCheck, IconClock, IconSearch } from '../../parts/icons.tsx'
import { AppsHead } from './AppsHead.tsx'
import { TileFrame, Where } from './AppTile.tsx'
import { AskForAccess } from './AskForAccess.tsx'
import { Filters } from './Filters.tsx'
import { byName, found } from './listed.ts'
import type { Listed } from './queries.ts'
import { catalogue, myRequests } from './queries.ts'
import { TilesLoading } from './TilesLoading.tsx'

/** What there is beside what I have, and how to get it. */
export function Catalogue() {
  const { t } = useTranslation('apps')
  const search = useSearch({ from: '/catalogue' })
  const { data: listed, error, refetch } = useQuery(catalogue)
  const { data: requests = [] } = useQuery(myRequests)
  const [wanted, want] = useState<Listed>()
  const others = listed?.filter(({ hasAccess, requestable }) => requestable || !hasAccess)
  const shown = others && found(others, search).sort(byName)
  const waitsFor = (id: string) =>
    requests.some(({ resourceId, state }) => resourceId === id && state === 'pending')
  return (
    <>
      <AppsHead at="/catalogue" />
      {(others === undefined || others.length > 0) && <Filters search={search} />}
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !shown && <TilesLoading />}
      {others?.length === 0 && (
        <Empty icon={IconBook} title={t('catalogue.none.title')}>
          {t('catalogue.none.text')}
        </Empty>
      )}
      {others && others.length > 0 && shown?.length === 0 && (
        <Empty icon={IconSearch} title={t('unfound.title')}>
          {t('unfound.text')}
        </Empty>
      )}
      <ul className="tiles">
        {shown?.map((app) => (
          <TileFrame key={app.id} app={app}>
            <Where app={app} />
            <div className="tile-action">
              <Asking app={app} waits={waitsFor(app.id)} onAsk={() => want(app)} />
            </div>
          </TileFrame>
        ))}
      </ul>
      <AskForAccess app={wanted} onClose={() => want(undefined)} />
    </>
  )
}

function Asking({ app, waits, onAsk }: { app: Listed; waits: boolean; onAsk: () => void }) {
  const { t } = useTranslation('apps')
  if (waits)
    return (
      <Badge color="yellow" variant="light" tt="none" leftSection={<IconClock size={14} aria-hidden />}>
        {t('state.pending')}
      </Badge>
    )
  if (!app.requestable)
    return (
      <Badge color="green" variant="light" tt="none" leftSection={<IconCheck size={14} aria-hidden />}>
        {t('catalogue.has')}
      </Badge>
    )
  return (
    <Button size="xs" variant="light" onClick={onAsk} aria-label={t('catalogue.askFor', { name: app.name })}>
      {t('catalogue.ask')}
    </Button>
  )
}
