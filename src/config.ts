import { crossFaults, leafFault } from './setting-faults.ts'
import type { Config, Leaf } from './settings.ts'
import { leaves, place } from './settings.ts'

/** Which settings the environment gave, by tree: `GET /api/conf/sources` tells them from defaults. */
const given = new WeakMap<Config, Set<string>>()

/**
 * The settings from the environment: `app_` and the path joined by `__` (interface, Runtime configuration), lists
 * comma-separated. Throws one Error whose message lists every fault; unknown `app_` names are faults too.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { config, faults, crossed } = lookAt(env)
  if (faults.length + crossed.length > 0) throw unusable([...faults, ...crossed])
  return config
}

/**
 * The settings with what is wrong about them, for whoever goes on all the same: `faults` of single values, and where there
 * are none, those of values that are right each by itself (`crossed`).
 */
export function lookAt(env: Record<string, string | undefined>) {
  const faults: string[] = []
  const config = {} as Config
  const known = new Set<string>()
  const from = new Set<string>()
  for (const leaf of leaves()) {
    const names = [environmentName(leaf.path), ...(leaf.schema.env ? [leaf.schema.env] : [])]
    for (const name of names) known.add(name)
    const found = names.find((name) => env[name] !== undefined)
    const value = found === undefined ? leaf.schema.default : parse(leaf, env[found] as string)
    const fault = leafFault(leaf, value)
    if (fault)
      faults.push(`${found ?? names[0]}: ${found ? fault : `is required. ${leaf.schema.description}`}`)
    if (found !== undefined) from.add(leaf.path.join('.'))
    place(config, leaf.path, value)
  }
  for (const name of Object.keys(env))
    if (name.startsWith('app_') && !known.has(name)) faults.push(`${name}: no such setting`)
  given.set(config, from)
  return { config, faults, crossed: faults.length === 0 ? crossFaults(config, environmentName) : [] }
}

/** What stops the start, every fault in one message. */
export function unusable(faults: string[]): Error {
  return new Error(`The configuration is not usable:\n  ${faults.join('\n  ')}`)
}

/** Paths (`smtp.host`) of the settings that the environment gave to a tree of `readConfig`. */
export function givenTo(config: Config): ReadonlySet<string> {
  return given.get(config) ?? new Set()
}

/** `['ldap', 'bindDN']` is `app_ldap__bindDN`. */
export function environmentName(path: string[]): string {
  return `app_${path.join('__')}`
}

function parse({ schema }: Leaf, value: string): unknown {
  const type = (schema as { type?: string }).type
  if (type === 'integer') return /^-?\d+$/.test(value.trim()) ? Number(value) : value
  if (type === 'boolean') return { true: true, false: false }[value.trim().toLowerCase()] ?? value
  if (type === 'array')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  return value
}
