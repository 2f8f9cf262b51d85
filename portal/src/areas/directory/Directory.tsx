import { AnchorLink } from '../../parts/links.tsx'
import './directory.css'
import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconArrowLeft, IconLock, IconPlus, IconSearch, IconSitemap } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useKeep } from '../../parts/useKept.ts'
import { ResourceForm } from './Form.tsx'
import { One } from './One.tsx'
import { resources } from './queries.ts'
import type { Kind } from './search.ts'
import { kinds } from './search.ts'
import { TreeView } from './TreeView.tsx'
import { foundIn, treeOf } from './tree.ts'

type Search = {
  q?: string | undefined
  kind?: Kind | undefined
  id?: string | undefined
  'who-q'?: undefined
}

/** The tree of all resources, and beside it the one that is looked at. */
export function Directory() {
  const { t } = useTranslation('directory')
  if (mayUse(useMe(), 'app_sso_directory_admin')) return <Whole />
  return (
    <>
      <PageHead title={t('title')} />
      <Empty icon={IconLock} title={t('hidden')} />
    </>
  )
}

function Whole() {
  const { t } = useTranslation('directory')
  const search = useSearch({ from: '/admin/directory' })
  const { q, kind, id } = search
  const look = useKeep<Search>()
  const [makes, make] = useState(false)
  const { data, error, refetch } = useQuery(resources)
  const tree = useMemo(() => data && treeOf(data), [data])
  const found = useMemo(
    () => (tree && (q || kind) ? foundIn(tree, q ?? '', kind) : undefined),
    [tree, q, kind],
  )
  return (
    <>
      <PageHead
        title={t('title')}
        lead={data ? t('lead', { count: data.length }) : '\u00a0'}
        actions={
          <Button onClick={() => make(true)} leftSection={<IconPlus size={18} stroke={2} aria-hidden />}>
            {t('form.open')}
          </Button>
        }
      />
      {error && !data && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={6} height={48} />}
      {tree?.all.size === 0 && (
        <Empty icon={IconSitemap} title={t('none.title')}>
          {t('none.text')}
        </Empty>
      )}
      {tree && tree.all.size > 0 && (
        <div className="directory" data-chosen={id !== undefined || undefined}>
          <div className="directory-side">
            <div className="directory-filters">
              <SearchField label={t('search')} value={q} onSearch={(q) => look({ q })} />
              <NativeSelect
                aria-label={t('kind')}
                data={[
                  { value: '', label: t('everyKind') },
                  ...kinds.map((value) => ({ value, label: t(`kinds.${value}`) })),
                ]}
                value={kind ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  look({ kind: kinds.find((each) => each === value) })
                }
              />
            </div>
            {found?.length === 0 ? (
              <Empty icon={IconSearch} title={t('unfound')} />
            ) : (
              <TreeView
                tree={tree}
                found={found}
                chosen={id}
                onChoose={(id) => look({ id, 'who-q': undefined }, false)}
              />
            )}
          </div>
          <div className="directory-one">
            {id === undefined ? (
              <Empty icon={IconSitemap} title={t('choose')} />
            ) : (
              <>
                <AnchorLink
                  to="/admin/directory"
                  search={{ ...search, id: undefined, 'who-q': undefined }}
                  size="sm"
                  className="directory-back"
                >
                  <IconArrowLeft size={16} stroke={2} aria-hidden />
                  {t('back')}
                </AnchorLink>
                <One key={id} id={id} tree={tree} />
              </>
            )}
          </div>
        </div>
      )}
      {tree && <ResourceForm tree={tree} opened={makes} onClose={() => make(false)} />}
    </>
  )
}
