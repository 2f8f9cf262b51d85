import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Attribute, Change, Control } from 'ldapts'
import type { Config } from '#src/settings.ts'
import type { Connection } from './connection.ts'
import { openConnection } from './connection.ts'
import { oids } from './controls.ts'
import type { EntryLine, EntryValue } from './copy.ts'
import { operational } from './copy.ts'
import { isWithin, leafOf, parseDn, sameDn } from './dn.ts'
import { firstOf } from './entry.ts'
import { present } from './filters.ts'
import { layoutOf } from './layout.ts'
import { codeOf, wordsOf } from './results.ts'

/** Who writes: an LDAP URL and a bind DN that may `manage`; `ldapi://` without a bind DN is SASL EXTERNAL. */
export type Restorer = { url: string; bindDN: string; password: string }

/** Adds that are under way at once. */
const atOnce = 16
const relax = new Control(oids.relax, { critical: true })

/**
 * Puts entries of a backup into a directory that has nobody yet, with the attributes that the server else keeps to itself
 * (relax control). Throws Errors that say which entry, and what the server said.
 */
export async function openEntriesBack(ldap: Config['ldap'], { url, bindDN, password }: Restorer) {
  const { base, user, group } = layoutOf(ldap)
  const external = url.startsWith('ldapi:') && bindDN === ''
  const ca = ldap.tls.ca ? readFileSync(ldap.tls.ca) : undefined
  const connection = await openConnection(
    {
      ...{ url, timeout: ldap.timeout, openTimeout: ldap.timeout },
      startTLS: ldap.startTLS && !url.startsWith('ldapi:'),
      tls: { ca, rejectUnauthorized: ldap.tls.verify },
    },
    { dn: external ? 'EXTERNAL' : bindDN, password: external ? '' : password },
    () => {},
  ).catch((cause) => {
    throw new Error(`LDAP at ${url} does not let ${external ? 'this user' : bindDN} in: ${wordsOf(cause)}`, {
      cause,
    })
  })

  function refusal(dn: string, said: unknown): string {
    const who = external ? 'this user' : bindDN
    if (codeOf(said) === 12) return `LDAP at ${url} does not know OpenLDAP's relax control`
    if (codeOf(said) === 50)
      return `LDAP at ${url} gives ${who} no manage right (olcAccess … manage), without which entryUUID, dates and locks cannot be written`
    return `LDAP at ${url} would refuse ${dn}: ${wordsOf(said)}`
  }

  async function isThere(dn: string): Promise<boolean> {
    return (await found(connection, dn, ['1.1'])) !== undefined
  }

  async function somebody(below: string, filter: typeof user.filter): Promise<boolean> {
    const options = { scope: 'sub' as const, filter, attributes: ['1.1'], sizeLimit: 1 }
    return connection.search(below, options).then(
      (entries) => entries.length > 0,
      (error) => {
        if (codeOf(error) === 32) return false
        if (codeOf(error) === 4) return true
        throw error
      },
    )
  }

  async function put(entry: EntryLine): Promise<void> {
    try {
      await connection.add(entry.dn, attributesOf(entry), [relax])
    } catch (error) {
      if (codeOf(error) !== 68) throw new Error(`${entry.dn}: LDAP refuses it: ${wordsOf(error)}`)
      await overwrite(entry)
    }
  }

  /** What the server brought along stays who it is and keeps its password, which the server's owner gave it. */
  async function overwrite(entry: EntryLine): Promise<void> {
    const there = await found(connection, entry.dn, ['entryUUID'])
    if (there && firstOf(there, 'entryUUID') === entry.attributes.entryUUID?.[0]) return
    const inside = (place: string) => isWithin(entry.dn, place) && !sameDn(entry.dn, place)
    if (inside(user.base) || inside(group.base))
      throw new Error(`${entry.dn}: another one of this name stands there`)
    const kept = [...operational, 'userPassword', 'objectClass', parseDn(entry.dn)?.[0]?.attribute ?? ''].map(
      (name) => name.toLowerCase(),
    )
    const changes = attributesOf(entry)
      .filter(({ type }) => !kept.includes(type.toLowerCase()))
      .map((modification) => new Change({ operation: 'replace', modification }))
    if (changes.length === 0) return
    await connection.modify(entry.dn, changes, [relax]).catch((error) => {
      throw new Error(`${entry.dn}: LDAP refuses to change it: ${wordsOf(error)}`)
    })
  }

  return {
    /** Whether there are no people and no groups. */
    async isEmpty(): Promise<boolean> {
      return !(await somebody(user.base, user.filter)) && !(await somebody(group.base, group.filter))
    },

    /**
     * Adds each directly below the base, and takes it away at once: what the server would refuse it refuses now, and the
     * Error says what is missing. (OpenLDAP's no-op control would write nothing, but it leaves back-mdb with wrong numbers
     * of attributes: entries cannot be read any more.)
     */
    async rehearse(kinds: EntryLine[]): Promise<void> {
      if (!(await isThere(base))) return
      for (const { dn, attributes } of kinds) {
        if (sameDn(dn, base)) continue
        const tried = {
          dn: `${leafOf(dn)},${base}`,
          attributes: { ...attributes, entryUUID: [randomUUID()] },
        }
        const said = await connection.add(tried.dn, attributesOf(tried), [relax]).then(
          () => undefined,
          (error) => error,
        )
        if (said === undefined) await connection.del(tried.dn)
        else if (codeOf(said) !== 68) throw new Error(refusal(dn, said))
      }
    },

    /** One after the other for places in which others stand, else several at once. Answers how many they were. */
    async put(entries: AsyncIterable<EntryLine> | EntryLine[], inTurn: boolean): Promise<number> {
      let count = 0
      let underWay: Promise<void>[] = []
      for await (const entry of entries) {
        count++
        const one = put(entry)
        one.catch(() => {}) // told when all are awaited
        underWay.push(one)
        if (underWay.length < (inTurn ? 1 : atOnce)) continue
        await Promise.all(underWay)
        underWay = []
      }
      await Promise.all(underWay)
      return count
    },
    [Symbol.dispose]: () => connection.close(),
  }
}

async function found(connection: Connection, dn: string, attributes: string[]) {
  const options = { scope: 'base' as const, filter: present('objectClass'), attributes }
  const entries = await connection.search(dn, options).catch((error) => {
    if (codeOf(error) === 32) return []
    throw error
  })
  return entries[0]
}

function attributesOf({ attributes }: EntryLine): Attribute[] {
  return Object.entries(attributes).map(
    ([type, values]) => new Attribute({ type, values: values.map(bytesOf) as unknown as string[] }),
  )
}

function bytesOf(value: EntryValue): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64')
}
