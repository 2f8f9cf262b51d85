import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconSitemap } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { linked } from './changes.ts'

/** What the members of a group reach by it, for those who may know. */
export function Gives({ group }: { group: string }) {
  const { t } = useTranslation('groups')
  const me = useMe()
  const { data, error, refetch } = useQuery(linked(me, group))
  if (!mayUse(me, 'app_sso_directory_admin')) return null
  return (
    <Panel title={t('gives.title')} lead={t('gives.lead')}>
      {error && <Failed error={error} onRetry={refetch} />}
      {!data && !error && <Loading rows={1} height={56} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('gives.none')}
        </Text>
      )}
      <ul className="plain-list groups-people">
        {data?.map(({ id, resourceId, name, accessLevel }) => (
          <li key={id}>
            <IconSitemap size={22} stroke={1.75} aria-hidden className="groups-dim" />
            <div className="groups-who">
              <Link to="/admin/directory" search={{ id: resourceId }} className="groups-link" preload={false}>
                <bdi>{name}</bdi>
              </Link>
            </div>
            <Badge
              component="span"
              variant="light"
              tt="none"
              color={accessLevel === 'admin' ? 'yellow' : 'gray'}
            >
              {t(`gives.level.${accessLevel}`)}
            </Badge>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
