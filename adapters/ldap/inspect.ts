import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '#src/settings.ts'
import type { Capability } from './capabilities.ts'
import { readCapabilities, reportOf } from './capabilities.ts'
import type { Connection, Identity } from './connection.ts'
import { openConnection } from './connection.ts'
import { firstOf, valuesOf } from './entry.ts'
import { present } from './filters.ts'
import type { Layout } from './layout.ts'
import { layoutOf } from './layout.ts'
import type { Pool } from './pool.ts'
import { openPool } from './pool.ts'
import { somebodyUnnumbered } from './prepare.ts'
import { codeOf, wordsOf } from './results.ts'
import { observeUnique } from './user-clash.ts'

export type DirectoryFacts = {
  capabilities: Capability[]
  /** People that a listing hands out, and whether the server cut it short (sizeLimitExceeded or the like). */
  people: number
  cut: boolean
  /** What two people have although it is to be one's, as `attribute value`. */
  twice: string[]
}

/**
 * What the first of the servers can do, found out without leaving anything in it: what the service tries at its start on
 * its decoy is read there. Throws an Error that says what is missing when it cannot serve at all.
 */
export async function inspectDirectory(ldap: Config['ldap'], log: Logger): Promise<DirectoryFacts> {
  await using pool = await openPool(ldap, log, () => {})
  const layout = layoutOf(ldap)
  const capabilities = await readCapabilities(pool, layout)
  const { observed } = capabilities
  const stored = await storedAt(pool, layout.decoy)
  observed.decoy = stored !== undefined
  observed.seesPasswords = Boolean(stored)
  observed.argon2id = layout.password.hash === 'argon2id' && /^\{ARGON2\}\$argon2id\$/.test(stored ?? '')
  observed.hashes = observed.argon2id || (stored ?? '').startsWith('{')
  // Whether a lock holds shows in a try alone, which a running pod has made (its log says so).
  observed.locks = true
  observed.numbered = capabilities.posix && !(await somebodyUnnumbered({ pool, layout }))
  await observeUnique({ pool, layout, capabilities })
  return { capabilities: reportOf(capabilities), ...(await lookAtPeople(pool, layout)) }
}

/** Opens and binds at one of the servers, and tells how far its data are: contextCSN, empty where it has none. */
export async function changesAt(ldap: Config['ldap'], url: string): Promise<string[]> {
  const connection = await connectTo(ldap, url, { dn: ldap.bindDN, password: ldap.bindPassword })
  try {
    const [entry] = await connection.search(ldap.base, {
      scope: 'base',
      filter: present('objectClass'),
      attributes: ['contextCSN'],
    })
    return entry ? valuesOf(entry, 'contextCSN').sort() : []
  } finally {
    connection.close()
  }
}

export type ServerSettings = { threads: number; indexes: string[] }

/** slapd's own settings (cn=config), as whoever may read them: its threads, and `olcDbIndex` of our database. */
export async function slapdSettings(
  ldap: Config['ldap'],
  { url, dn, password }: { url: string } & Identity,
): Promise<ServerSettings> {
  const connection = await connectTo(ldap, url, { dn, password })
  try {
    const options = { filter: present('objectClass'), attributes: ['olcSuffix', 'olcDbIndex', 'olcThreads'] }
    const entries = await connection.search('cn=config', { scope: 'sub', ...options }).catch((error) => {
      if (codeOf(error) === 32) return [] // it is there, and is not to be seen
      throw error
    })
    const base = ldap.base.toLowerCase().replace(/\s*,\s*/g, ',')
    const ours = entries.find((entry) =>
      valuesOf(entry, 'olcSuffix').some((suffix) => `,${base}`.endsWith(`,${suffix.toLowerCase()}`)),
    )
    const threads = entries.map((entry) => firstOf(entry, 'olcThreads')).find(Boolean)
    if (!ours) throw new Error(`cn=config shows no database for ${ldap.base} to this identity`)
    return { threads: Number(threads ?? 16), indexes: valuesOf(ours, 'olcDbIndex') }
  } finally {
    connection.close()
  }
}

function connectTo(ldap: Config['ldap'], url: string, identity: Identity): Promise<Connection> {
  const tls = {
    ca: ldap.tls.ca ? readFileSync(ldap.tls.ca) : undefined,
    rejectUnauthorized: ldap.tls.verify,
  }
  const startTLS = ldap.startTLS && !url.startsWith('ldapi:')
  const target = { url, startTLS, tls, timeout: ldap.timeout, openTimeout: ldap.timeout }
  return openConnection(target, identity, () => {}).catch((cause) => {
    throw new Error(wordsOf(cause))
  })
}

/** The stored password of an entry, empty where it may not be seen, undefined where there is no such entry. */
async function storedAt(pool: Pool, dn: string): Promise<string | undefined> {
  const options = { scope: 'base' as const, filter: present('objectClass'), attributes: ['userPassword'] }
  const [entry] = await pool.search(dn, options)
  return entry && (firstOf(entry, 'userPassword') ?? '')
}

async function lookAtPeople(pool: Pool, { user }: Layout) {
  let people = 0
  const unique = [user.uid, user.mail, user.mobile, user.uidNumber]
  const once = new Set<string>()
  const twice = new Set<string>()
  try {
    const options = { filter: user.filter, attributes: unique, paged: { pageSize: 500 } }
    for await (const page of pool.list(user.base, options)) {
      people += page.length
      for (const entry of page)
        for (const name of unique)
          for (const value of valuesOf(entry, name)) {
            const having = `${name} ${value.toLowerCase()}`
            if (once.has(having)) twice.add(having)
            else once.add(having)
          }
    }
    return { people, cut: false, twice: [...twice] }
  } catch (error) {
    if (![3, 4, 11].includes(codeOf(error) ?? -1)) throw error
    return { people, cut: true, twice: [...twice] }
  }
}
