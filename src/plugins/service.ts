/**
 * Instances of plugins (contract section 11): what a type of registry.ts does, with settings, secrets and a schedule of
 * their own. The record says whether a schedule is loaded; the queue follows it, and a job whose record says otherwise by
 * then does nothing (runs.ts).
 */
import { randomBytes } from 'node:crypto'
import type { PluginRecord } from '#adapters/redis/plugins.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { keepsSecret, mask } from '#src/http/mask.ts'
import type { Actor } from '#src/user/actor.ts'
import { assertConfig, assertCron } from './faults.ts'
import { pluginType } from './registry.ts'
import type { Instance, InstanceChanges, NewInstance, SecretChanges } from './schemas.ts'

type Needs = Pick<Deps, 'store' | 'audit'>

/** By name. */
export async function instancesOf(deps: Pick<Deps, 'store'>): Promise<Instance[]> {
  const records = await deps.store.plugins.all()
  const all = await Promise.all(records.map((record) => shown(deps, record)))
  return all.sort((a, b) => a.name.localeCompare(b.name))
}

/** Throws NotFound. */
export async function instanceNamed({ store }: Pick<Deps, 'store'>, id: string): Promise<PluginRecord> {
  return (await store.plugins.find(id)) ?? refuseAbsent()
}

/** As it may be seen: of secrets only which are set; with its last run. */
export async function shown({ store }: Pick<Deps, 'store'>, record: PluginRecord): Promise<Instance> {
  const type = pluginType(record.pluginType)
  const [names, [last]] = await Promise.all([
    store.plugins.secretNames(record.id),
    store.plugins.history(record.id, 1),
  ])
  return {
    ...record,
    category: type?.category ?? '',
    secrets: Object.fromEntries(
      (type?.secrets ?? names).map((name) => [name, names.includes(name) ? mask : '']),
    ),
    last_run_at: last?.at ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
  }
}

/** Throws InvalidInput, AlreadyExists for a slug that is taken, Conflict where there are enough. */
export async function createInstance(deps: Needs, by: Actor, given: NewInstance): Promise<PluginRecord> {
  const { enabled = true, cron = null, slug = slugOf(given.name), ...fields } = given
  assertConfig(given.pluginType, given.config)
  await assertCron(cron)
  const now = Date.now()
  const record = await deps.store.plugins.create({
    id: randomBytes(12).toString('base64url'),
    ...{ ...fields, slug, enabled, cron },
    ...{ created_by: by.caller.uid, created_on: now, updated_on: now },
  })
  await follow(deps, record)
  note(deps, by, 'plugin.create', record)
  return record
}

/** Changes what is given; `enabled` loads or unloads the schedule. Throws NotFound, InvalidInput, AlreadyExists. */
export async function updateInstance(
  deps: Needs,
  by: Actor,
  id: string,
  changes: InstanceChanges,
  action: Action = 'plugin.update',
): Promise<PluginRecord> {
  const { pluginType } = await instanceNamed(deps, id)
  if (changes.config) assertConfig(pluginType, changes.config)
  await assertCron(changes.cron ?? null)
  const record = await deps.store.plugins.update(id, (current) => ({
    ...current,
    ...changes,
    updated_on: Date.now(),
  }))
  if (!record) return refuseAbsent()
  await follow(deps, record)
  note(deps, by, action, record, { fields: Object.keys(changes) })
  return record
}

/** Sets, keeps or clears each secret that is named. Throws NotFound, InvalidInput for one the type does not have. */
export async function setSecrets(deps: Needs, by: Actor, id: string, changes: SecretChanges) {
  const record = await instanceNamed(deps, id)
  const known = pluginType(record.pluginType)?.secrets ?? []
  const unknown = Object.keys(changes).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Refusal('InvalidInput', `${unknown} is no secret of this type.`)
  const wanted = Object.fromEntries(Object.entries(changes).filter(([, value]) => !keepsSecret(value)))
  if (!(await deps.store.plugins.setSecrets(id, wanted))) refuseAbsent()
  note(deps, by, 'plugin.secrets', record, { fields: Object.keys(wanted) })
  return record
}

/** With its secrets and runs. Throws NotFound. */
export async function removeInstance(deps: Needs, by: Actor, id: string): Promise<void> {
  const record = (await deps.store.plugins.remove(id)) ?? refuseAbsent()
  await deps.store.runs.unschedule(id)
  note(deps, by, 'plugin.delete', record)
}

export function note(
  { audit }: Pick<Deps, 'audit'>,
  by: Actor,
  action: Action,
  { id, slug }: PluginRecord,
  detail: object = {},
): void {
  audit.append({ ...by.event, action, target: slug, outcome: 'ok', detail: { id, ...detail } })
}

/** Puts the schedule where the record says; of two changes at once the record read last decides. */
export async function follow({ store }: Pick<Deps, 'store'>, { id }: PluginRecord): Promise<void> {
  const record = await store.plugins.find(id)
  if (record?.enabled && record.cron)
    await store.runs.schedule(id, {
      cron: record.cron,
      kind: 'run',
      data: { instance: id, cron: record.cron },
    })
  else await store.runs.unschedule(id)
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (slug === '') throw new Refusal('InvalidInput', 'slug is needed where the name has no letters a to z.')
  return slug
}

function refuseAbsent(): never {
  throw new Refusal('NotFound', 'There is no such plugin instance.')
}
