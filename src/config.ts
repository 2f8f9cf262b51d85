import { isIP } from 'node:net'
import { Value } from 'typebox/value'
import type { Config, Leaf } from './settings.ts'
import { leaves } from './settings.ts'

const placeholders = /^(change-?me|secret|password|placeholder|example|x+|0+|1234567890.*)$/i

/**
 * The settings from the environment: `app_` and the path joined by `__` (interface, Runtime configuration), lists
 * comma-separated. Throws one Error whose message lists every fault; unknown `app_` names are faults too.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  const known = new Set<string>()
  for (const leaf of leaves()) {
    const names = [environmentName(leaf), ...(leaf.schema.env ? [leaf.schema.env] : [])]
    for (const name of names) known.add(name)
    const given = names.find((name) => env[name] !== undefined)
    const value = given === undefined ? leaf.schema.default : parse(leaf, env[given] as string)
    if (!Value.Check(leaf.schema, value)) faults.push(`${given ?? names[0]}: ${fault(leaf, given)}`)
    place(config, leaf.path, value)
  }
  for (const name of Object.keys(env))
    if (name.startsWith('app_') && !known.has(name)) faults.push(`${name}: no such setting`)
  if (faults.length === 0) faults.push(...crossFaults(config as Config))
  if (faults.length > 0) throw new Error(`The configuration is not usable:\n  ${faults.join('\n  ')}`)
  return config as Config
}

/** `['ldap', 'bindDN']` is `app_ldap__bindDN`. */
export function environmentName(leaf: Pick<Leaf, 'path'>): string {
  return `app_${leaf.path.join('__')}`
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

function fault({ schema }: Leaf, given: string | undefined): string {
  const { type, minimum, maximum, enum: values } = schema as unknown as Record<string, unknown>
  if (given === undefined) return `is required. ${schema.description}`
  if (values) return `must be one of ${(values as string[]).join(', ')}`
  const range = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`]
  return `must be a ${[type === 'integer' ? 'whole number' : type, ...range].filter(Boolean).join(' ')}`
}

function crossFaults(config: Config): string[] {
  const faults: string[] = []
  const { issuer, jwtSecret } = config.oauth
  if (
    !URL.canParse(issuer) ||
    !/^https?:$/.test(new URL(issuer).protocol) ||
    /[?#]/.test(issuer) ||
    issuer.endsWith('/')
  )
    faults.push('app_oauth__issuer: must be an http(s) URL without query, fragment or final slash')
  faults.push(...secretFaults('app_oauth__jwtSecret', jwtSecret))
  if (config.seal.key) faults.push(...secretFaults('app_seal__key', config.seal.key))
  for (const entry of config.egress.allow)
    if (!isHostOrNetwork(entry))
      faults.push(`app_egress__allow: ${entry} is no host name, address or CIDR (such as 10.0.0.0/8)`)
  const { period_seconds, prepublish_seconds, retain_seconds } = config.oauth.keys
  if (2 * prepublish_seconds > period_seconds)
    faults.push(
      'app_oauth__keys__prepublish_seconds: must be at most half of app_oauth__keys__period_seconds',
    )
  for (const [name, seconds] of [
    ['app_oauth__token_lifetime__access_token', config.oauth.token_lifetime.access_token],
    ['app_auth__session_absolute_seconds', config.auth.session_absolute_seconds],
  ] as const)
    if (retain_seconds < seconds) faults.push(`app_oauth__keys__retain_seconds: must be at least ${name}`)
  return faults
}

function secretFaults(name: string, secret: string): string[] {
  if (secret.length < 32) return [`${name}: must have 32 characters or more`]
  if (placeholders.test(secret) || new Set(secret).size < 8)
    return [`${name}: is a placeholder; make one with: openssl rand -base64 48`]
  return []
}

function isHostOrNetwork(entry: string): boolean {
  const [host = '', bits, ...rest] = entry.split('/')
  if (rest.length > 0) return false
  const longest = { 4: 32, 6: 128 }[isIP(host)]
  if (bits !== undefined) return longest !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= longest
  return (
    longest !== undefined ||
    /^(?!.*\.\d+$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(host)
  )
}

function place(tree: Record<string, unknown>, path: string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]]
  if (rest.length === 0) tree[name] = value
  else place((tree[name] ??= {}) as Record<string, unknown>, rest, value)
}
