import { Ajv } from 'ajv'
import type { Brought } from '#adapters/ldap/user.ts'
import { isRefusal } from '#src/errors.ts'
import { changesOf, newPerson, uidSpelled } from '#src/user/fields.ts'
import { NewUser } from '#src/user/schemas.ts'
import type { Change, Planning } from './plan.ts'
import type { SourcePerson } from './source.ts'
import type { Standing } from './state.ts'

const ajv = new Ajv({ meta: false, validateSchema: false, strict: false })
const fields = ['givenName', 'sn', 'mail', 'mobile', 'dateOfBirth', 'sshPublicKey'] as const
type Field = (typeof fields)[number]

/** Numbers below are of the system; those above are of namespaces and dynamic users (systemd, UIDS-GIDS). */
const numbers = { least: 1000, most: 1_879_048_191, nobody: [65_534, 65_535] }

/** Plans one person. Answers their uid in lower case when they are there afterwards; undefined when refused. */
export async function planPerson(planning: Planning, person: SourcePerson): Promise<string | undefined> {
  const { at } = person
  const { seen, state, sourceDns, plan } = planning
  try {
    requireLengths(person.values)
    const { uid: written } = person.values
    if (!written) throw new Fault('uid', 'is missing')
    const uid = uidSpelled(written).toLowerCase()
    const first = seen.get(uid)
    if (first !== undefined) throw new Fault('uid', `stands twice: first at ${first}`)
    seen.set(uid, at)
    const standing = state.people.get(uid)
    if (standing) changeStanding(planning, person, uid, standing)
    else await makePerson(planning, person, uid)
    if (person.dn) sourceDns.set(person.dn, { uid })
    return uid
  } catch (error) {
    const { field, reason } = faultOf(error)
    plan.refused.push({ at: nameOf(person), field, reason })
    return undefined
  }
}

async function makePerson(planning: Planning, person: SourcePerson, uid: string): Promise<void> {
  const { state, plan } = planning
  const { values, at } = person
  const given = Object.fromEntries(fields.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))
  for (const name of ['givenName', 'sn', 'mail'] as const)
    if (!values[name]) throw new Fault(name, 'is missing')
  const made = newPerson({ ...given, uid: values.uid } as Parameters<typeof newPerson>[0])
  for (const name of fields) requirePlace(planning, name, made[name])
  requireFree(planning, uid, made)
  const uidNumber = numberFor(planning, values.uidNumber)
  if (person.isActive === false) requirePlace(planning, 'isActive', 'false')
  const { text, passwordHash } = await passwordOf(planning, person)
  const brought: Brought = {
    ...(uidNumber === undefined ? {} : { uidNumber }),
    ...pathOf('homeDirectory', values.homeDirectory),
    ...pathOf('loginShell', values.loginShell),
    ...(passwordHash ? { passwordHash } : {}),
    ...(person.isActive === false ? { locked: true } : {}),
  }
  plan.steps.push({ does: 'make person', at, fields: made, brought, password: text })
  if (uidNumber !== undefined) state.numbers.set(uidNumber, uid)
  const { givenName, sn, mail, mobile } = made
  state.people.set(uid, { uid, givenName, sn, mail, isActive: person.isActive ?? true })
  hold(planning, uid, { mail, mobile })
}

function changeStanding(planning: Planning, person: SourcePerson, uid: string, standing: Standing): void {
  const { state, plan } = planning
  const given: Partial<Record<Field, string>> = {}
  for (const name of fields) {
    const value = person.values[name]
    if (value) given[name] = value
  }
  const wanted = changesOf(given)
  const changes: Change[] = []
  for (const name of fields) {
    const from = standing[name] ?? ''
    const to = name === 'sshPublicKey' ? joined(from, wanted[name] ?? '') : (wanted[name] ?? '')
    if (to !== '' && to !== from) changes.push({ field: name, from, to })
  }
  for (const { field, to } of changes) requirePlace(planning, field, to)
  requireFree(planning, uid, Object.fromEntries(changes.map(({ field, to }) => [field, to])))
  if (person.isActive !== undefined && person.isActive !== standing.isActive) {
    requirePlace(planning, 'isActive', 'false')
    changes.push({ field: 'isActive', from: String(standing.isActive), to: String(person.isActive) })
  }
  if (changes.length === 0) return
  plan.steps.push({ does: 'change person', at: person.at, uid: standing.uid, changes })
  for (const { field, from, to } of changes) {
    if (field === 'mail') state.mails.delete(from.toLowerCase())
    if (field === 'mobile') state.mobiles.delete(from)
    if (field === 'mail' || field === 'mobile') hold(planning, uid, { [field]: to })
  }
}

/** Keys are added, never taken away: the person may have added some here. */
function joined(standing: string, wanted: string): string {
  const blob = (line: string) => line.split(' ')[1]
  const known = new Set(standing.split('\n').map(blob))
  const fresh = wanted.split('\n').filter((line) => line !== '' && !known.has(blob(line)))
  return [...(standing ? [standing] : []), ...fresh].join('\n')
}

type Addresses = { mail?: string | null | undefined; mobile?: string | null | undefined }

function requireFree({ state }: Planning, uid: string, { mail, mobile }: Addresses): void {
  for (const [name, held] of [
    ['mail', mail && state.mails.get(mail.toLowerCase())],
    ['mobile', mobile && state.mobiles.get(mobile)],
  ] as const)
    if (held && held !== uid) throw new Fault(name, `belongs to ${held}`)
}

function hold({ state }: Planning, uid: string, { mail, mobile }: Addresses): void {
  if (mail) state.mails.set(mail.toLowerCase(), uid)
  if (mobile) state.mobiles.set(mobile, uid)
}

function requirePlace({ deps }: Planning, field: string, value: string | null | undefined): void {
  const { places } = deps.directory
  if (value && places[field as keyof typeof places] === false)
    throw new Fault(field, 'has no place in this directory')
}

function numberFor({ deps, options, state }: Planning, text: string | undefined): number | undefined {
  if (text === undefined || !deps.directory.places.uidNumber) return undefined
  const number = Number(text)
  const fits = /^\d{1,10}$/.test(text) && number >= numbers.least && number <= numbers.most
  const held = state.numbers.get(number)
  if (fits && !numbers.nobody.includes(number) && held === undefined) return number
  if (options.newNumbers) return undefined
  if (held !== undefined) throw new Fault('uidNumber', `belongs to ${held}`)
  throw new Fault('uidNumber', `is none that a person may have (${numbers.least} to ${numbers.most})`)
}

function pathOf(field: 'homeDirectory' | 'loginShell', value: string | undefined): Brought {
  if (value === undefined) return {}
  if (!/^\/[!-9;-~]{0,254}$/.test(value)) throw new Fault(field, 'is no absolute path')
  return { [field]: value }
}

async function passwordOf(
  { deps, options }: Planning,
  { password }: SourcePerson,
): Promise<{ text: string; passwordHash?: string }> {
  const none = 'no password: must be invited or reset'
  if (password === undefined) return { text: none }
  const { kind, fault } = await deps.directory.judgeHash(password)
  if (fault === undefined) return { text: `password: kept hash ${kind}`, passwordHash: password }
  if (options.dropHashes) return { text: `${none} (${kind} ${fault})` }
  throw new Fault('password', `${kind} ${fault}`)
}

/** The lengths that the API takes. */
function requireLengths(values: SourcePerson['values']): void {
  for (const name of ['uid', ...fields] as const)
    if (values[name] !== undefined && !ajv.validate(NewUser.properties[name], values[name]))
      throw new Fault(name, 'is too long or too short')
}

class Fault extends Error {
  readonly field: string
  constructor(field: string, reason: string) {
    super(reason)
    this.field = field
  }
}

/** A refusal of the API names its field in its first word. */
function faultOf(error: unknown): { field: string; reason: string } {
  if (error instanceof Fault) return { field: error.field, reason: error.message }
  if (!isRefusal(error, 'InvalidInput', 'InvalidKey')) throw error
  if (error.name === 'InvalidKey') return { field: 'sshPublicKey', reason: error.message }
  const [, field = '', reason = ''] = /^(\S+) (.*)\.$/.exec(error.message) ?? []
  return { field, reason }
}

function nameOf({ at, values }: SourcePerson): string {
  return values.uid && !at.includes('=') ? `${at} (${values.uid})` : at
}
