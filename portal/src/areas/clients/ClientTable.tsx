import { Avatar, Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { IconBan } from '../../parts/icons.tsx'
import { Time } from '../../parts/Time.tsx'
import type { Client } from './types.ts'

const columns = ['name', 'kind', 'who', 'changed'] as const

/** Each row is a link to the application. */
export function ClientTable({ rows }: { rows: readonly Client[] }) {
  const { t } = useTranslation('clients')
  return (
    <table className="card client-table" aria-label={t('title')}>
      <thead>
        <tr className="client-row">
          {columns.map((column) => (
            <th key={column} scope="col" className={`client-${column}`}>
              {t(`columns.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((client) => (
          <Row key={client.client_id} client={client} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ client }: { client: Client }) {
  const { t } = useTranslation('clients')
  const { client_id, name, description, logo_uri, is_valid, allowed_groups } = client
  return (
    <tr className="client-row client-one">
      <td className="client-name">
        <Avatar src={logo_uri} name={name} color="brand" radius="md" size={36} aria-hidden />
        <div>
          <Link to="/admin/applications/$id" params={{ id: client_id }} preload={false}>
            <bdi>{name}</bdi>
          </Link>
          <span className="client-about">{description || client.redirect_uris[0] || t('noAddress')}</span>
        </div>
        {!is_valid && <Off />}
      </td>
      <td className="client-kind">{t(client.public ? 'public' : 'confidential')}</td>
      <td className="client-who" title={allowed_groups.join(', ')}>
        {allowed_groups.length === 0
          ? t('everybody')
          : t('inGroups', { count: allowed_groups.length - 1, first: allowed_groups[0] })}
      </td>
      <td className="client-changed">
        <Time at={client.updated_on} />
      </td>
    </tr>
  )
}

/** Marks an application that nobody can use now. */
export function Off() {
  const { t } = useTranslation('clients')
  return (
    <Badge
      component="span"
      color="red"
      variant="light"
      tt="none"
      leftSection={<IconBan size={12} stroke={2.25} aria-hidden />}
    >
      {t('off')}
    </Badge>
  )
}
