import { generateKeyPair, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type { Measure } from './measure.ts'

const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const { subtle } = webcrypto
const key = await subtle.importKey(
  'pkcs8',
  privateKey.export({ type: 'pkcs8', format: 'der' }),
  algorithm,
  false,
  ['sign'],
)
const text = Buffer.alloc(700, 'a') // about an ID token

/** What one RS256 signature costs, by WebCrypto as the library signs: the measure of a refresh. */
export async function measureSignatures(count = 300): Promise<Measure> {
  const latencies: number[] = []
  const begun = performance.now()
  const before = process.cpuUsage()
  for (let n = 0; n < count; n++) {
    const at = performance.now()
    await subtle.sign(algorithm, key, text)
    latencies.push(performance.now() - at)
  }
  const { user, system } = process.cpuUsage(before)
  const cpu = { server: (user + system) / count, slapd: 0, redis: 0 }
  const seconds = (performance.now() - begun) / 1000
  return { units: count, seconds, latencies, cpu, roundTrips: undefined, generator: 0 }
}
