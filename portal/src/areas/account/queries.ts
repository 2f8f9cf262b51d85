import { api, ok } from '../../api/client.ts'
import type { Me } from '../../api/queries.ts'
import { me, queries } from '../../api/queries.ts'

export type Changes = {
  givenName?: string
  sn?: string
  mail?: string
  mobile?: string | null
  dateOfBirth?: string | null
  sshPublicKey?: string | null
}

/** Changes my account; answers the sentence that says what else happened. */
export async function change({ uid }: Me, body: Changes): Promise<string> {
  const { message } = await ok(api.PUT('/api/user/{uid}', { params: { path: { uid } }, body }))
  await queries.invalidateQueries({ queryKey: me.queryKey })
  return message
}
