import { Skeleton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Failed } from '../../parts/Failed.tsx'
import type { Client } from './types.ts'
import { useReach } from './useReach.ts'

/** Who loses the way in, and at how many addresses, by number; read anew while the question is open. */
export function Losses({ client }: { client: Client }) {
  const { t } = useTranslation(['clients', 'app'])
  const { people, error, isPending, refetch } = useReach(client.allowed_groups)
  if (error) return <Failed error={error} onRetry={refetch} />
  if (isPending) return <Skeleton height={20} mt="xs" role="status" aria-label={t('app:loading')} />
  const count = client.redirect_uris.length
  return (
    <ul className="client-losses">
      <li>
        {client.allowed_groups.length === 0
          ? t('losses.everybody')
          : t('losses.people', { count: people.length, groups: client.allowed_groups.join(', ') })}
      </li>
      {count > 0 && <li>{t('losses.addresses', { count, first: client.redirect_uris[0] })}</li>}
    </ul>
  )
}
