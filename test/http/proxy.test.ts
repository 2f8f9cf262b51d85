import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService({ app_trust_proxy: '' })
const { request } = service
tap.teardown(() => service[Symbol.asyncDispose]())

test('X-Forwarded-For, X-Real-IP, Forwarded, true or garbage, from an untrusted peer change neither the rate-limit key nor the outcome', async (t) => {
  const headers = (i: number) => ({ 'x-real-ip': `198.51.100.${i}`, forwarded: `for=198.51.100.${i}` })
  const addresses = ['203.0.113.9', 'garbage', '203.0.113.9, 127.0.0.1', "'; drop", '::1', '', '%00']
  const statuses: number[] = []
  for (let i = 0; i < 14; i++) {
    const address = addresses[i % addresses.length] as string
    const body = { uid: 'nobody', password: 'wrong' }
    statuses.push((await request('POST', '/api/auth/login', { body, address, headers: headers(i) })).status)
  }
  t.strictSame(statuses, [...Array(10).fill(401), ...Array(4).fill(429)])
})

test('garbage from a trusted proxy counts as the proxy itself', async (t) => {
  await using behind = await startTestService({ app_trust_proxy: '127.0.0.0/8' })
  const statuses: number[] = []
  for (let i = 0; i < 12; i++)
    statuses.push(
      (
        await behind.request('POST', '/api/auth/login', {
          body: { uid: 'nobody', password: 'wrong' },
          address: `garbage${i}`,
        })
      ).status,
    )
  t.strictSame(statuses, [...Array(10).fill(401), 429, 429])
})
