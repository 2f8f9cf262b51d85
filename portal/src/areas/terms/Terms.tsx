import { ButtonLink } from '../../parts/links.tsx'
import './terms.css'
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconFileText, IconPencil } from '../../parts/icons.tsx'
import type { Order } from '../../parts/Listed.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Time, wholeDate } from '../../parts/Time.tsx'
import { Preview } from './Preview.tsx'
import type { Version } from './queries.ts'
import { terms, versions } from './queries.ts'

/** The terms in force or an earlier version of them, beside all versions. */
export function Terms() {
  const { t, i18n } = useTranslation('terms')
  const { version } = useSearch({ from: '/admin/terms' })
  const current = useQuery(terms())
  const { data: shown, error, refetch } = useQuery(terms(version))
  const write = (
    <ButtonLink to="/admin/terms/new" leftSection={<IconPencil size={18} stroke={1.75} aria-hidden />}>
      {t(current.data?.text ? 'new.open' : 'new.first')}
    </ButtonLink>
  )
  const isNone = shown?.text === ''
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} actions={write} />
      {error && !shown && <Failed error={error} onRetry={refetch} />}
      {!error && !shown && <Loading rows={2} height={260} />}
      {isNone && (
        <Empty icon={IconFileText} title={t(shown.version > 0 ? 'withdrawn.title' : 'none.title')}>
          {t(shown.version > 0 ? 'withdrawn.text' : 'none.text')}
        </Empty>
      )}
      {shown && !isNone && (
        <Panel
          title={t('version', { number: shown.version })}
          lead={
            shown.created_on !== null &&
            t('inForceSince', { date: wholeDate(shown.created_on, i18n.language) })
          }
          action={
            shown.version === current.data?.version ? (
              <Badge color="green" variant="light" tt="none">
                {t('inForce')}
              </Badge>
            ) : (
              <Badge color="gray" variant="light" tt="none">
                {t('earlier')}
              </Badge>
            )
          }
        >
          <Preview text={shown.text} title={t('version', { number: shown.version })} />
        </Panel>
      )}
      {shown && shown.version > 0 && <Versions />}
    </>
  )
}

const orders: [Order<Version>, ...Order<Version>[]] = [
  { value: 'newest', by: (a, b) => b.version - a.version },
  { value: 'oldest', by: (a, b) => a.version - b.version },
]

function Versions() {
  const { t } = useTranslation('terms')
  const label = t('versions.title')
  return (
    <Panel title={label} lead={t('versions.lead')}>
      <Asked of={useQuery(versions)} height={44}>
        {(rows) => (
          <Listed
            {...{ label, rows, orders }}
            said={({ version, created_by }) => [t('version', { number: version }), created_by]}
          >
            {(shown) => (
              <ul className="plain-list rows" aria-label={label}>
                {shown.map(({ version, created_by, created_on }) => (
                  <li key={version} className="terms-version">
                    <Link
                      to="/admin/terms"
                      // The newest is what the address names no version for.
                      search={({ q, sort }) => ({
                        ...{ q, sort },
                        version: version === rows[0]?.version ? undefined : String(version),
                      })}
                      activeOptions={{ exact: true }}
                      className="terms-number"
                      preload={false}
                    >
                      {t('version', { number: version })}
                    </Link>
                    <span className="terms-by">
                      {t('versions.by', { by: created_by })} · <Time at={created_on} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Listed>
        )}
      </Asked>
    </Panel>
  )
}
