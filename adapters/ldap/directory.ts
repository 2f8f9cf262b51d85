import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'
import type { Capability } from './capabilities.ts'
import { readCapabilities, reportOf } from './capabilities.ts'
import type { Operation } from './connection.ts'
import type { Change, Context } from './context.ts'
import type { EntryLine } from './copy.ts'
import { entriesOf } from './copy.ts'
import { openCounter } from './counter.ts'
import { normaliseDn } from './dn.ts'
import { dump } from './dump.ts'
import { present } from './filters.ts'
import { openGroups } from './group.ts'
import { hashForm, openHashProbe } from './hash-probe.ts'
import { layoutOf } from './layout.ts'
import type { Agreement } from './opener.ts'
import { openPool } from './pool.ts'
import { prepare } from './prepare.ts'
import { within } from './socket.ts'
import { openFeed } from './sync/feed.ts'
import { openUsers } from './user.ts'

export type { DumpedEntry } from './dump.ts'
export type { Groups } from './group.ts'
export type { Users } from './user.ts'
export type Directory = Awaited<ReturnType<typeof openDirectory>>
export type Hooks = {
  /** Awaited after every successful write of ours, before it answers. */
  onChange: (change: Change) => Promise<void>
  /** Called for every operation sent, whatever lane it takes. */
  onRoundTrip: (operation: Operation) => void
  /** Among pods on several servers. */
  agreement?: Agreement | undefined
}

const pingMilliseconds = 500

/**
 * The directory: people and groups, behind a pool of connections. Reads what the server can do; throws an Error when
 * the server does not answer or a base DN is missing.
 */
export async function openDirectory(ldap: Config['ldap'], log: Logger, hooks: Hooks) {
  await using opened = new AsyncDisposableStack()
  const layout = layoutOf(ldap)
  const pool = opened.use(await openPool(ldap, log, hooks.onRoundTrip, hooks.agreement))
  const capabilities = await readCapabilities(pool, layout)
  const counter = openCounter(pool, layout)
  const feed = capabilities.sync && ldap.groups.graph ? openFeed(pool, layout, log) : undefined
  opened.defer(() => feed?.close())
  const onChange = (change: Change) => {
    if (change.group) feed?.groupChanged(change.group)
    return hooks.onChange(change)
  }
  const context: Context = { pool, layout, capabilities, counter, feed, log, onChange }
  const verifies = openHashProbe(context)
  const closing = opened.move()
  return {
    users: openUsers(context),
    groups: openGroups(context),
    /** All people and groups as they are, for a backup: see dump.ts. */
    dump: (wanted: { hashes: boolean }) => dump(context, wanted),
    /** What the server lacks and what follows from it. */
    get capabilities(): Capability[] {
      return reportOf(capabilities)
    },
    /** False where its schema has no attribute for dates of birth. */
    keepsDatesOfBirth: capabilities.dateOfBirth,
    /** For which fields of people it has a place; `isActive` is the lock. */
    places: {
      mobile: capabilities.mobile,
      dateOfBirth: capabilities.dateOfBirth,
      sshPublicKey: capabilities.sshPublicKey,
      uidNumber: capabilities.posix,
      isActive: capabilities.lock,
    },
    /** One spelling for all spellings of a DN. */
    dnKey: normaliseDn,
    /** What kind of hash a stored password is, and why this server cannot take it over, if so. Tried once for each kind. */
    async judgeHash(stored: string): Promise<{ kind: string; fault?: string | undefined }> {
      const form = hashForm(stored)
      if (form.fault !== undefined || (await verifies(form.kind))) return form
      return { kind: form.kind, fault: 'is not verified by this directory' }
    },
    /** Resolves when the directory answers within half a second; throws UpstreamFailure. */
    async ping(): Promise<void> {
      const probe = { scope: 'base' as const, filter: present('objectClass'), attributes: ['1.1'] }
      await within(pingMilliseconds, pool.search('', probe)).catch((cause) => {
        throw new Refusal('UpstreamFailure', undefined, { cause })
      })
    },
    /** Whether effective groups are answered from memory at this moment (sync/feed.ts). */
    get graphIsLive(): boolean {
      return feed?.live ?? false
    },
    /** How busy the connections are at this moment. */
    figures: pool.figures,
    /** Every entry, for a backup. */
    entries: (): AsyncGenerator<EntryLine> => entriesOf(pool, layout),
    /** To be told when another pod changed a group. */
    groupChanged: (cn: string) => feed?.groupChanged(cn),
    /** Makes the service's own entries (counter, placeholder, decoy), tries what cannot be read, and logs the report. */
    async prepare(): Promise<void> {
      await prepare(context)
      feed?.wake()
      for (const { available, ...row } of reportOf(capabilities))
        if (available) log.debug(row, 'LDAP has')
        else log.warn(row, 'LDAP lacks')
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
