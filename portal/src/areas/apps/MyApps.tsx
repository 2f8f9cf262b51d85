import { ButtonLink } from '../../parts/links.tsx'
import './apps.css'
import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconApps, IconSearch } from '../../parts/first-icons.tsx'
import { AppsHead } from './AppsHead.tsx'
import { AppTile } from './AppTile.tsx'
import { Filters } from './Filters.tsx'
import { byName, found } from './listed.ts'
import { useMine } from './mine.ts'
import type { Reached } from './queries.ts'
import { reached } from './queries.ts'
import { TilesLoading } from './TilesLoading.tsx'

/** What I can reach: favourites first, then what I opened last, then all of it. */
export function MyApps() {
  const search = useSearch({ from: '/' })
  const { data: apps, error, refetch } = useQuery(reached)
  return (
    <>
      <AppsHead at="/" />
      {(apps === undefined || apps.length > 0) && <Filters sorted search={search} />}
      {error && <Failed error={error} onRetry={refetch} />}
      {!error && !apps && <TilesLoading />}
      {apps && <Tiles apps={apps} search={search} />}
    </>
  )
}

type Search = Parameters<typeof found>[1] & { sort?: string | undefined }

function Tiles({ apps, search }: { apps: Reached[]; search: Search }) {
  const { t } = useTranslation('apps')
  const mine = useMine()
  const last = (a: Reached, b: Reached) => mine.openedAt(b.id) - mine.openedAt(a.id) || byName(a, b)
  const shown = found(apps, search).sort(search.sort === 'recent' ? last : byName)
  if (apps.length === 0)
    return (
      <Empty
        icon={IconApps}
        title={t('none.title')}
        action={
          <ButtonLink to="/catalogue" mt="sm">
            {t('none.action')}
          </ButtonLink>
        }
      >
        {t('none.text')}
      </Empty>
    )
  if (shown.length === 0)
    return (
      <Empty icon={IconSearch} title={t('unfound.title')}>
        {t('unfound.text')}
      </Empty>
    )
  const wholeList = !search.q && !search.kind
  const favourites = wholeList ? shown.filter(({ id }) => mine.isFavourite(id)) : []
  const recent = wholeList
    ? shown
        .filter(({ id }) => mine.openedAt(id) > 0 && !mine.isFavourite(id))
        .sort(last)
        .slice(0, 4)
    : []
  const inSections = favourites.length + recent.length > 0
  return (
    <>
      <Section title={t('favourites')} {...{ mine, apps: favourites }} />
      <Section title={t('recent')} {...{ mine, apps: recent }} />
      <Section title={inSections ? t('all') : undefined} {...{ mine, apps: shown }} />
    </>
  )
}

type SectionProps = { title: string | undefined; apps: Reached[]; mine: ReturnType<typeof useMine> }

function Section({ title, apps, mine }: SectionProps) {
  const { t } = useTranslation('apps')
  if (apps.length === 0) return null
  return (
    <section aria-label={title ?? t('all')} className="tiles-section">
      {title && (
        <Title order={2} mb="sm">
          {title}
        </Title>
      )}
      <ul className="tiles">
        {apps.map((app) => (
          <AppTile key={app.id} {...{ app, mine }} />
        ))}
      </ul>
    </section>
  )
}
