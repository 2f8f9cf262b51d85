import { NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../parts/SearchField.tsx'
import type { Draft, Setting } from './queries.ts'
import { useSectionName } from './Section.tsx'
import { inOrder, shown } from './search.ts'

type Search = { q?: string; section?: string; show?: (typeof shown)[number] }
type Props = {
  all: Setting[] | undefined
  search: Search
  section: string | undefined
  draft: Draft
  onLook: (change: Search) => void
}

/** Search over everything, and the way to each section. */
export function Filters({ all, search, section, draft, onLook }: Props) {
  const { t } = useTranslation('configuration')
  const nameOf = useSectionName()
  const changed = new Set([...draft.keys()].map((path) => path.split('.')[0]))
  return (
    <>
      <div className="conf-filters">
        <SearchField label={t('search')} value={search.q} onSearch={(q) => onLook(asked(q))} />
        <NativeSelect
          aria-label={t('show.name')}
          value={search.show ?? ''}
          data={[
            { value: '', label: t('show.all') },
            ...shown.map((value) => ({ value, label: t(`show.${value}`) })),
          ]}
          onChange={({ currentTarget: { value } }) => onLook({ show: shown.find((each) => each === value) })}
        />
      </div>
      <nav className="conf-sections" aria-label={t('sections')}>
        {inOrder(all?.map((setting) => setting.section) ?? []).map((name) => (
          <Link
            key={name}
            to="/admin/configuration"
            search={{ section: name }}
            resetScroll={false}
            preload={false}
            className="conf-tab"
            data-here={name === section || undefined}
            aria-current={name === section ? 'true' : undefined}
          >
            {nameOf(name)}
            {changed.has(name) && <span className="conf-dot" role="img" aria-label={t('unsaved')} />}
          </Link>
        ))}
      </nav>
    </>
  )
}

/** A search goes over all sections, so that none is kept beside it. */
function asked(q: string | undefined): Search {
  return q === undefined ? { q } : { q, section: undefined }
}
