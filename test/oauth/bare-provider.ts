import { generateKeyPairSync } from 'node:crypto'
import type { Adapter, AdapterPayload, Configuration } from 'oidc-provider'
import { Provider } from 'oidc-provider'

const issuer = 'http://127.0.0.1:9'
export const redirect_uri = 'https://app.example/cb'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The library with nothing of ours, over records in memory. */
export function bare(changes: Configuration = {}) {
  const records = new Map<string, AdapterPayload>()
  const adapter = (model: string): Adapter => ({
    upsert: async (id, payload) => void records.set(`${model} ${id}`, payload),
    find: async (id) => records.get(`${model} ${id}`),
    findByUid: async (uid) => [...records.values()].find((record) => record.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(records.get(`${model} ${id}`) ?? {}, { consumed: 1 }),
    destroy: async (id) => void records.delete(`${model} ${id}`),
    revokeByGrantId: async () => {},
  })
  const provider = new Provider(issuer, {
    adapter,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' } as never] },
    clients: [
      {
        client_id: 'c',
        client_secret: 'the secret',
        redirect_uris: [redirect_uri],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    cookies: { keys: [] },
    pkce: { required: () => false },
    issueRefreshToken: async () => true,
    ...changes,
  })
  return { provider, records }
}
