import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Chain } from '../../parts/Chain.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconChevronRight } from '../../parts/icons.tsx'
import { Listed } from '../../parts/Listed.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { byName, namesOf } from '../../parts/names.ts'
import { Panel } from '../../parts/Panel.tsx'
import type { Resource } from './queries.ts'
import { access, reason } from './queries.ts'

const pageSize = 15

/** Who reaches a resource through its groups; why, where one asks. */
export function Access({ of }: { of: Resource }) {
  const { t } = useTranslation(['directory', 'app'])
  const { data, error, refetch } = useQuery(access(of))
  const [limit, extend] = useState(pageSize)
  return (
    <Panel
      title={data ? t('access.title', { count: data.length }) : t('access.counting')}
      lead={t(of.metadata.isPublic === true ? 'access.public' : 'access.lead')}
    >
      {error && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={2} height={44} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('access.none')}
        </Text>
      )}
      <Listed
        {...{ as: 'who', label: t('access.list'), few: 10, rows: data ? namesOf(data) : [] }}
        said={(uid) => [uid]}
        orders={[{ value: 'name', by: byName }]}
      >
        {(found) => (
          <>
            <ul className="plain-list rows" aria-label={t('access.list')}>
              {found.slice(0, limit).map((uid) => (
                <Someone key={uid} uid={uid} id={of.id} />
              ))}
            </ul>
            {found.length > limit && (
              <Button size="xs" variant="default" mt="xs" onClick={() => extend(limit + 4 * pageSize)}>
                {t('app:more')}
              </Button>
            )}
          </>
        )}
      </Listed>
    </Panel>
  )
}

function Someone({ uid, id }: { uid: string; id: string }) {
  const { t } = useTranslation('directory')
  const [open, setOpen] = useState(false)
  const why = useId()
  return (
    <li>
      <div className="directory-row">
        <bdi className="grows">{uid}</bdi>
        <Button
          size="xs"
          variant="subtle"
          aria-expanded={open}
          aria-controls={why}
          aria-label={t('access.whyOf', { uid })}
          onClick={() => setOpen(!open)}
          rightSection={
            <IconChevronRight
              {...{ size: 14, stroke: 2, className: 'directory-turn' }}
              data-open={open || undefined}
              aria-hidden
            />
          }
        >
          {t('access.why')}
        </Button>
      </div>
      <div id={why} hidden={!open}>
        {open && <Reason uid={uid} id={id} />}
      </div>
    </li>
  )
}

function Reason({ uid, id }: { uid: string; id: string }) {
  const { t } = useTranslation('directory')
  const { data, error, refetch } = useQuery(reason(id, uid))
  if (error) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Loading rows={1} height={28} />
  return (
    <>
      {!data.isActive && (
        <Text size="sm" c="dimmed">
          {t('access.locked', { uid })}
        </Text>
      )}
      <ul className="plain-list">
        {data.groups.map(({ groupCn, accessLevel, via }) => (
          <li key={groupCn} className="directory-grant">
            <Chain of={[uid, ...via.toReversed()]} label={t('access.via', { uid, group: groupCn })} />
            <Text component="span" size="sm" c="dimmed">
              {t(`links.level.${accessLevel}`)}
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}
