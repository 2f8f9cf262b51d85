import { randomBytes } from 'node:crypto'
import { Client } from 'ldapts'
import pino from 'pino'
import type { Directory, Hooks } from '#adapters/ldap/directory.ts'
import { openDirectory } from '#adapters/ldap/directory.ts'
import type { NewUser, UserEntry } from '#adapters/ldap/user.ts'
import type { Slapd, SlapdOptions } from '#quickstart/slapd.ts'
import { readConfig } from '#src/config.ts'
import type { Config } from '#src/settings.ts'
import { startTestServers } from '#test/support/servers.ts'
import { until } from '#test/support/until.ts'

/** Operations sent to the directory, in order. */
export type Trips = string[]
export type TestDirectory = AsyncDisposable & {
  directory: Directory
  users: Directory['users']
  groups: Directory['groups']
  ldap: Slapd
  trips: Trips
  /** What our writes told. */
  changes: { uid?: string; group?: string }[]
  /** Another pod on the same slapd. */
  open(settings?: Record<string, string>): Promise<Directory>
}

/**
 * A directory, prepared, its feed at rest, on a slapd of its own. `settings` are `app_ldap__…` names without that beginning.
 */
export async function startTestDirectory(
  settings: Record<string, string> = {},
  options: Partial<SlapdOptions> = {},
): Promise<TestDirectory> {
  await using opened = new AsyncDisposableStack()
  const { ldap } = opened.use(await startTestServers({ ldap: options }))
  const trips: Trips = []
  const changes: TestDirectory['changes'] = []
  const open = (more: Record<string, string> = {}) =>
    openOn(
      ldap,
      { ...settings, ...more },
      {
        onChange: async (change) => void changes.push(change),
        onRoundTrip: (operation) => trips.push(operation),
      },
    )
  const directory = opened.use(await open())
  await directory.prepare()
  if (settings.groups__graph !== 'false')
    await until('the feed has read all', async () => directory.graphIsLive, 40, 10)
  const { users, groups } = directory
  const closing = opened.move()
  return {
    directory,
    users,
    groups,
    ldap,
    trips,
    changes,
    open,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

export const silent: Hooks = { onChange: async () => {}, onRoundTrip: () => {} }

type At = Pick<Slapd, 'url' | 'base' | 'bindDN' | 'bindPassword'>

export function openOn(
  ldap: At,
  settings: Record<string, string> = {},
  hooks: Hooks = silent,
): Promise<Directory> {
  return openDirectory(configOf(ldap, settings), log, hooks)
}

export const log = pino({ level: process.env.TEST_LOG ?? 'silent' })

/** The settings of a directory on that server, with hashes that cost little. */
export function configOf(
  { url, base, bindDN, bindPassword }: At,
  settings: Record<string, string> = {},
): Config['ldap'] {
  const cheap = { password__memory: '1024', password__passes: '1' }
  const own = Object.entries({ url, base, bindDN, bindPassword, ...cheap, ...settings })
  return readConfig({
    ...Object.fromEntries(own.map(([name, value]) => [`app_ldap__${name}`, value])),
    OAUTH_ISSUER: 'http://127.0.0.1:3000',
    JWT_SECRET: randomBytes(33).toString('base64url'),
  }).ldap
}

let made = 0
/** Somebody new. */
export function person(fields: Partial<NewUser> = {}): NewUser & { password: string } {
  const uid = fields.uid ?? `person${++made}`
  return {
    uid,
    password: `password of ${uid}`,
    givenName: 'Ada',
    sn: 'Lovelace',
    mail: `${uid}@example.org`,
    ...fields,
  } as NewUser & {
    password: string
  }
}

/** The operations that `act` sent, beside its answer. */
export async function counted<T>(trips: Trips, act: () => Promise<T>): Promise<{ value: T; sent: string[] }> {
  trips.length = 0
  const value = await act()
  return { value, sent: [...trips] }
}

/** What `ldapwhoami -x -D <dn> -w <password>` would say: may this user bind by themself? */
export async function bindsAs({ url }: Slapd, dn: string, password: string): Promise<boolean> {
  const client = new Client({ url, timeout: 5000 })
  try {
    await client.bind(dn, password)
    return true
  } catch {
    return false
  } finally {
    await client.unbind()
  }
}

/** A client bound as the service, for looking behind its back and for what others write. */
export async function bareClient({ url, bindDN, bindPassword }: Slapd): Promise<Client> {
  const client = new Client({ url, timeout: 5000 })
  await client.bind(bindDN, bindPassword)
  return client
}

export function dnOf(user: Pick<UserEntry, 'dn'> | undefined): string {
  if (!user) throw new Error('no such user')
  return user.dn
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
