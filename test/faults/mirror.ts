import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Attribute, Change, Client } from 'ldapts'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Slapd } from '#quickstart/slapd.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { until } from '#test/support/until.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/**
 * Two slapd in mirror mode below `dir`: each takes writes and sends them to the other (docs/operations.md), over a network
 * that `part` stops; it answers what lets it go on.
 */
export async function startMirror(dir: string) {
  await using opened = new AsyncDisposableStack()
  const binaries = await findBinaries(testDataDir)
  const options = { binaries, nosync: true, argon2: { memory: 1024, passes: 1 } }
  const [here, there] = [join(dir, 'ldap-1'), join(dir, 'ldap-2')]
  const one = opened.use(await startSlapd({ ...options, dir: here }))
  // The second begins as a copy: the same entries with the same identifiers and passwords.
  await one.stop()
  await mkdir(there, { recursive: true, mode: 0o700 })
  for (const name of ['db', 'latchkey.password', 'host.password'])
    await cp(join(here, name), join(there, name), { recursive: true })
  await one.start()
  const two = opened.use(await startSlapd({ ...options, dir: there }))
  const networks = await Promise.all(
    [one, two].map(async ({ url }) => opened.use(await startTcpProxy(Number(new URL(url).port)))),
  )
  const [toOne, toTwo] = networks.map(({ port }) => `ldap://127.0.0.1:${port}`) as [string, string]
  await follow(here, { id: 1, provider: { ...identityOf(two), url: toTwo } })
  await follow(there, { id: 2, provider: { ...identityOf(one), url: toOne } })
  await until('the two hold the same', async () => (await contextOf(one)) === (await contextOf(two)))
  const closing = opened.move()
  return {
    servers: [one, two] as [Slapd, Slapd],
    part() {
      for (const network of networks) network.become('stalled')
      return () => {
        for (const network of networks) network.become('pass')
      }
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

type Identity = Pick<Slapd, 'url' | 'base' | 'bindDN' | 'bindPassword'>
const identityOf = ({ url, base, bindDN, bindPassword }: Slapd): Identity => ({
  url,
  base,
  bindDN,
  bindPassword,
})

/** Where a server stands: equal on both when neither has anything left to tell the other. */
export async function contextOf({ url, base, bindDN, bindPassword }: Slapd): Promise<string> {
  const client = new Client({ url, timeout: 2000, connectTimeout: 2000 })
  try {
    await client.bind(bindDN, bindPassword)
    const { searchEntries } = await client.search(base, { scope: 'base', attributes: ['contextCSN'] })
    return JSON.stringify(searchEntries[0]?.contextCSN)
  } finally {
    await client.unbind().catch(() => {})
  }
}

/** Makes a server one of a mirrored pair, as its owner, over its socket. */
async function follow(dir: string, { id, provider }: { id: number; provider: Identity }): Promise<void> {
  const socket = connect({ path: join(dir, 'ldapi') })
  await once(socket, 'connect')
  const createConnection = (() => socket) as unknown as typeof connect
  const owner = new Client({ url: 'ldap://localhost', createConnection })
  await owner.bind('EXTERNAL')
  const set = (dn: string, type: string, value: string) =>
    owner.modify(
      dn,
      new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) }),
    )
  const database = 'olcDatabase={1}mdb,cn=config'
  const source = {
    provider: provider.url,
    ...{ bindmethod: 'simple', binddn: provider.bindDN, credentials: provider.bindPassword },
    ...{
      searchbase: provider.base,
      type: 'refreshAndPersist',
      retry: '1 +',
      'network-timeout': '2',
      timeout: '5',
    },
  }
  const words = Object.entries(source).map(([name, value]) => `${name}="${value}"`)
  await set('cn=config', 'olcServerID', String(id))
  await set(database, 'olcSyncrepl', `rid=00${id} ${words.join(' ')}`)
  await set(database, 'olcMultiProvider', 'TRUE')
  await owner.unbind()
}
