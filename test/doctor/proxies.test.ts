import tap, { test } from 'tap'
import { examine } from '#src/doctor/examine.ts'
import { proofAt, proofHeader } from '#src/operations/proof.ts'
import { startTestService } from '#test/support/service.ts'
import { found } from './support.ts'

const service = await startTestService()
await using stack = new AsyncDisposableStack()
const bare = stack.use(await service.secondPod({ app_trust_proxy: '' }))
const closing = stack.move()
tap.teardown(async () => {
  await closing.disposeAsync()
  await service[Symbol.asyncDispose]()
})
const env = await service.environmentOfPod({ app_trust_proxy: '10.0.0.0/8' })

test('a request through the issuer shows which address the service sees, and whether it believes a forged one', async (t) => {
  found(t, await examine({ ...env, app_oauth__issuer: bare.url }), [
    ...[/proxies/, 'ok', /sees this machine’s own address \(127.0.0.1\)/],
  ] as never)
  found(t, await examine({ ...env, app_oauth__issuer: service.url }), [
    ...[/proxies/, 'error', /X-Forwarded-For is believed/],
  ] as never)
})

test('/readyz tells an address to nobody but who has the signing secret, for a minute', async (t) => {
  const key = service.deps.store.keys.derive('doctor')
  const now = Date.now()
  const asked = async (proof: string) => {
    const { body } = await service.request('GET', '/readyz', {
      address: '198.51.100.7',
      headers: { [proofHeader]: proof },
    })
    return body.address
  }
  t.equal(await asked(proofAt(key, now)), '198.51.100.7')
  const [time = '', signature = ''] = proofAt(key, now).split('.')
  const other = service.deps.store.keys.derive('something else')
  const refused = [
    proofAt(other, now),
    proofAt(key, now - 61_000),
    proofAt(key, now + 70_000),
    `${Number(time) + 1}.${signature}`,
    `${time}.${signature}x`,
    ...[`${time}.`, 'garbage', ''],
  ]
  for (const proof of refused) t.equal(await asked(proof), undefined, proof)
})
