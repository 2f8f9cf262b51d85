import { randomUUID } from 'node:crypto'
import { Refusal } from '#src/errors.ts'
import type { Context } from './context.ts'
import { childDn } from './dn.ts'
import { attributesOf, firstOf, valuesOf } from './entry.ts'
import { all, any, equals, present } from './filters.ts'
import { codeOf, diagnosticOf } from './results.ts'

/** What only one person may have. */
type Identifying = { uid?: string; mail?: string | undefined; mobile?: string | null | undefined }
export type Clash = 'uid' | 'mail' | 'mobile' | 'uidNumber' | undefined

/** Which attribute an add or a modify stumbled over: the server's words say it, else what is there by now does. */
export async function clashOf(context: Context, error: unknown, values: Identifying): Promise<Clash> {
  const code = codeOf(error)
  if (code === 68) return 'uid'
  const said = diagnosticOf(error)
  // OpenLDAP: "non-unique attributes found with (|(mail=…))"; 389-ds: "… same attribute value …: "mail"".
  if (code !== 19 || !/uniq|same attribute value/i.test(said)) return undefined
  const names = context.layout.user
  const clashes = (['uidNumber', 'uid', 'mail', 'mobile'] as const).filter((name) =>
    new RegExp(`[("]${names[name]}[="]`, 'i').test(said),
  )
  return clashes.length === 1 ? clashes[0] : takenOf(context, values)
}

async function takenOf({ pool, layout }: Context, values: Identifying, except?: string): Promise<Clash> {
  const names = (['uid', 'mail', 'mobile'] as const).filter((name) => values[name])
  const filter = any(names.map((name) => equals(layout.user[name], values[name] as string)))
  if (names.length === 0) return undefined
  const attributes = names.map((name) => layout.user[name])
  const found = await pool.search(layout.user.base, { filter, attributes, sizeLimit: 10 })
  const others = found.filter((entry) => entry.dn !== except)
  return names.find((name) =>
    others.some((entry) =>
      valuesOf(entry, layout.user[name]).some((value) => value.toLowerCase() === values[name]?.toLowerCase()),
    ),
  )
}

/** Looks before the write, where the server does not decide by itself: a race can still slip through. */
export async function refuseTaken(context: Context, values: Identifying, except?: string): Promise<void> {
  const clash = await takenOf(context, values, except)
  if (clash) throw refusalOfClash(clash, undefined)
}

export function refusalOfClash(clash: Clash, cause: unknown): unknown {
  if (clash === 'uid') return new Refusal('AlreadyExists', 'This username is taken.', { cause })
  if (clash === 'mail') return new Refusal('MailInUse', undefined, { cause })
  if (clash === 'mobile') return new Refusal('MobileInUse', undefined, { cause })
  return cause
}

/**
 * Does the server refuse a second entry with the same mail (slapo-unique)? Asked by an add that cannot succeed: it
 * lacks what its class requires (65), but an overlay speaks before the schema does (19). Needs one person to clash with.
 */
export async function observeUnique({
  pool,
  layout,
  capabilities,
}: Pick<Context, 'pool' | 'layout' | 'capabilities'>): Promise<void> {
  const { base, filter, mail, uid } = layout.user
  const [known] = await pool.search(base, {
    filter: all(filter, present(mail)),
    attributes: [mail],
    sizeLimit: 1,
  })
  if (!known) return
  const name = `probe-${randomUUID()}`
  const dn = childDn(uid, name, base)
  const attributes = attributesOf({ objectClass: 'inetOrgPerson', [uid]: name, [mail]: firstOf(known, mail) })
  capabilities.observed.unique = await pool
    .write('create', (connection) => connection.add(dn, attributes))
    .then(
      () => pool.write('remove', (connection) => connection.del(dn)).then(() => false),
      (error) => {
        if (codeOf(error) === undefined) throw error
        return codeOf(error) === 19
      },
    )
}
