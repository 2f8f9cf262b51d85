import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Asked } from '../../parts/Asked.tsx'
import { ClaimPreview } from './ClaimPreview.tsx'
import { client, discovery } from './queries.ts'
import { RedirectTester } from './RedirectTester.tsx'
import { TestSignIn } from './TestSignIn.tsx'

/** What can be tried with an application before people do. */
export function Tests() {
  const { id } = useParams({ from: '/admin/applications/$id' })
  const one = useQuery(client(id))
  const service = useQuery(discovery)
  return (
    <Asked of={one} rows={3} height={160}>
      {(found) => (
        <>
          <RedirectTester client={found} />
          <ClaimPreview client={found} />
          <Asked of={service} rows={1} height={160}>
            {(known) => <TestSignIn client={found} service={known} />}
          </Asked>
        </>
      )}
    </Asked>
  )
}
