import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries } from '../../quickstart/binaries.ts'
import type { Slapd, SlapdOptions } from '../../quickstart/slapd.ts'
import { startSlapd } from '../../quickstart/slapd.ts'
import { testDataDir } from './data-dir.ts'
import type { TestRedis } from './redis.ts'
import { startTestRedis } from './redis.ts'

export type TestServers = {
  ldap: Slapd
  redis: TestRedis
  dir: string
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A slapd and a Redis (or a Cluster: redis.ts) of this test alone, in a folder that goes with them:
 * `await using servers = await startTestServers()`. Password hashes are cheap and slapd flushes nothing to disk,
 * all else is as the quick start has it.
 */
export async function startTestServers(
  options: { ldap?: Partial<SlapdOptions>; appendOnly?: boolean } = {},
): Promise<TestServers> {
  const [binaries, dir] = await Promise.all([findBinaries(testDataDir), mkdtemp(join(tmpdir(), 'latchkey-'))])
  const [ldap, redis] = await Promise.all([
    startSlapd({
      dir: join(dir, 'ldap'),
      binaries,
      nosync: true,
      argon2: { memory: 1024, passes: 1 },
      ...options.ldap,
    }),
    startTestRedis({ dir: join(dir, 'redis'), binaries, appendOnly: options.appendOnly ?? true }),
  ])
  return {
    ldap,
    redis,
    dir,
    async [Symbol.asyncDispose]() {
      await Promise.all([ldap.stop(), redis[Symbol.asyncDispose]()])
      await rm(dir, { recursive: true, force: true })
    },
  }
}
