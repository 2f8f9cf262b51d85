import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Provider } from 'oidc-provider'
import tap, { test } from 'tap'
import { openClients } from '#src/oauth/clients.ts'
import { documentsOf } from '#src/oauth/discovery.ts'
import { buildProvider } from '#src/oauth/provider.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('of 100 providers that took each other’s place none is left behind', async (t) => {
  const { deps, admin, login } = service
  const { client_id } = await relyingParty(service, await login(admin.uid, admin.password)).register()
  const clients = openClients(deps)
  const keys = (await deps.store.signingKeys.read()).keys.map(({ jwk }) => jwk)
  const built: WeakRef<Provider>[] = []
  const swap = async () => {
    const provider = buildProvider(deps, clients, keys.reverse())
    await documentsOf(provider.callback(), deps)
    t.match(await provider.Client.find(client_id), { clientId: client_id })
    built.push(new WeakRef(provider))
  }
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate()
      collectGarbage()
    }
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  for (let count = 0; count < 20; count++) await swap()
  const before = await settled()
  const start = performance.now()
  for (let count = 0; count < 100; count++) await swap()
  const each = (performance.now() - start) / 100
  const after = await settled()
  t.comment(`heap ${before.toFixed(1)} MiB, ${after.toFixed(1)} after 100 more; ${each.toFixed(1)} ms each`)
  t.ok(built.filter((one) => one.deref()).length <= 2)
})
