/**
 * Settings at run time. A change is checked whole against what stands, then stored in one step that fails where somebody
 * else stored meanwhile, and then made from what they left: of two changes at once neither undoes the other. Secrets go in
 * and never come out.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ConfChange, StoredConf } from '#adapters/redis/conf.ts'
import type { Action } from '#src/audit/actions.ts'
import { environmentName } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { keepsSecret, mask } from '#src/http/mask.ts'
import { handOver } from '#src/mail/deliver.ts'
import { crossFaults } from '#src/setting-faults.ts'
import type { Config, Leaf } from '#src/settings.ts'
import { leaves, place, valueAt } from '#src/settings.ts'
import type { Actor } from '#src/user/actor.ts'
import { mailAddress, phoneNumber } from '#src/user/fields.ts'
import type { ConfChanges } from './schemas.ts'
import { schemaOf } from './schemas.ts'
import type { Source, Standing } from './standing.ts'
import { treeOf } from './standing.ts'

const mostTries = 50

/** Every setting, in the order of the declaration. */
export const declared = leaves().map(({ path, schema }) => ({
  path: path.join('.'),
  environment: environmentName(path),
  description: schema.description,
  schema: schemaOf(schema),
  default: schema.default,
  secret: schema.secret === true,
  bootstrap: schema.bootstrap === true,
}))

/** The effective tree, secrets masked. */
export async function readConf({ config, standing }: Pick<Deps, 'config' | 'standing'>): Promise<Config> {
  await standing.refresh()
  return treeBy((leaf) => (leaf.schema.secret ? mask : valueAt(config, leaf.path))) as Config
}

/** The same tree, with where each value comes from. */
export async function readSources({ standing }: Pick<Deps, 'standing'>): Promise<Record<string, Source>> {
  await standing.refresh()
  return treeBy((leaf) => standing.sourceOf(leaf.path)) as Record<string, Source>
}

/**
 * Stores what differs from what stands, and answers when this pod has it; `null` goes back to the environment's value.
 * Throws InvalidInput naming the key, with nothing stored; Conflict when others keep changing.
 */
export async function changeConf(
  { store, standing, audit }: Pick<Deps, 'store' | 'standing' | 'audit'>,
  by: Actor,
  changes: ConfChanges,
): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const stored = await store.conf.read()
    if (stored.unreadable.length > 0)
      throw new Refusal('Conflict', 'What is stored was sealed with another key: restart this pod with it.')
    const change = changeOf(changes, stored, standing)
    const { set, clear } = change
    if (set.length + clear.length === 0) return
    if (!(await store.conf.change(stored.version, change))) continue
    const detail = { set: set.map(({ path }) => path), cleared: clear }
    audit.append({ ...by.event, action: 'conf.change', target: 'conf', outcome: 'ok', detail })
    return standing.refresh()
  }
  throw new Refusal('Conflict')
}

function changeOf(changes: ConfChanges, stored: StoredConf, { environment }: Standing): ConfChange {
  const now = treeOf(environment, stored)
  const next = structuredClone(now)
  const change: ConfChange = { set: [], clear: [], voids: false }
  for (const leaf of leaves()) {
    const { path, schema } = leaf
    const name = path.join('.')
    const value = valueAt(changes, path)
    if (value === undefined || isSame(leaf, value, valueAt(now, path))) continue
    if (schema.bootstrap) {
      if (value === null) continue
      throw new Refusal('InvalidInput', `${name} comes from the environment and cannot be changed here.`)
    }
    if (value !== null) change.set.push({ path: name, value, secret: schema.secret === true })
    else if (stored.values.has(name)) change.clear.push(name)
    else continue
    place(next, path, value ?? valueAt(environment, path))
    if (name === 'oauth.jwtSecret') change.voids = true
  }
  const [fault] = crossFaults(next, (path) => path.join('.'))
  if (fault) throw new Refusal('InvalidInput', `${fault}.`)
  return change
}

/** True when posting a value changes nothing: a secret's blank or mask, and what stands already. */
function isSame({ schema }: Leaf, value: unknown, now: unknown): boolean {
  if (!schema.secret || value === null) return isDeepStrictEqual(value, now)
  if (keepsSecret(value)) return true
  const digest = (text: unknown) => createHash('sha256').update(String(text)).digest()
  return timingSafeEqual(digest(value), digest(now))
}

/** Sends a mail as all mails go, and says how it went. Throws InvalidInput. */
export async function testMail(
  deps: Pick<Deps, 'mail' | 'config' | 'standing' | 'audit'>,
  by: Actor,
  address: string,
) {
  const to = mailAddress(address, 'to')
  const brand = deps.config.branding.name
  const send = () =>
    handOver(deps, to, {
      subject: `Test mail of ${brand}`,
      before: [`This is a test of the mail settings of ${brand}, sent by ${by.event.actor}.`],
    })
  return tried(deps, by, { action: 'conf.test-email', to, send, why: deps.mail.reason })
}

/** The same by SMS. */
export async function testSms(
  deps: Pick<Deps, 'sms' | 'config' | 'standing' | 'audit'>,
  by: Actor,
  number: string,
) {
  const to = phoneNumber(number, 'to')
  const send = () =>
    deps.sms.send({ to, body: `This is a test of the SMS settings of ${deps.config.branding.name}.` })
  return tried(deps, by, { action: 'conf.test-sms', to, send, why: deps.sms.reason })
}

type Try = { action: Action; to: string; send(): Promise<void>; why(error: unknown): string }

async function tried(
  { standing, audit }: Pick<Deps, 'standing' | 'audit'>,
  by: Actor,
  { action, to, send, why }: Try,
): Promise<{ success: boolean; message: string }> {
  await standing.refresh()
  const failure = await send().then(
    () => undefined,
    (error: unknown) => {
      if (!isRefusal(error, 'UpstreamFailure')) throw error
      return error
    },
  )
  audit.append({ ...by.event, action, target: to, outcome: failure ? 'failed' : 'ok' })
  if (!failure) return { success: true, message: `Handed over for ${to}.` }
  return { success: false, message: [failure.message, why(failure)].filter(Boolean).join(' ') }
}

function treeBy(valueFor: (leaf: Leaf) => unknown): object {
  const tree = {}
  for (const leaf of leaves()) place(tree, leaf.path, valueFor(leaf))
  return tree
}
