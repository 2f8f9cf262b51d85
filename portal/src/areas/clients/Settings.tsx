import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Asked } from '../../parts/Asked.tsx'
import { client, discovery } from './queries.ts'
import { SettingsForm } from './SettingsForm.tsx'

/** What an application is set to. */
export function Settings() {
  const { id } = useParams({ from: '/admin/applications/$id' })
  const one = useQuery(client(id))
  const service = useQuery(discovery)
  return (
    <Asked of={service} rows={4} height={160}>
      {({ access_token_lifetime: access_token, refresh_token_lifetime: refresh_token }) => (
        <Asked of={one} rows={4} height={160}>
          {(found) => <SettingsForm key={id} client={found} usual={{ access_token, refresh_token }} />}
        </Asked>
      )}
    </Asked>
  )
}
