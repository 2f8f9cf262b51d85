import { isIP } from 'node:net'
import type { Config, Leaf } from './settings.ts'

/** How a setting is called to whoever hears of a fault: `app_smtp__host` by the start, `smtp.host` by the API. */
export type Naming = (path: string[]) => string

/** What is wrong with one value by itself, `undefined` for nothing. Never repeats a secret. */
export function leafFault({ schema }: Leaf, value: unknown): string | undefined {
  if (fits(schema as unknown as Checked, value)) return undefined
  const { type, minimum, maximum, enum: values } = schema as unknown as Record<string, unknown>
  if (type === 'string' && typeof value === 'string')
    return value ? 'must be one line of text' : 'must not be empty'
  if (values) return `must be one of ${(values as string[]).join(', ')}`
  const range = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`]
  return `must be a ${[type === 'integer' ? 'whole number' : type, ...range].filter(Boolean).join(' ')}`
}

type Checked = {
  type?: 'string' | 'integer' | 'boolean' | 'array'
  minLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  enum?: unknown[]
  items?: Checked
  uniqueItems?: boolean
}

/** The kinds of setting-kinds.ts and no others: a validator for them would be a tenth of the start. */
function fits({ type, enum: values, ...schema }: Checked, value: unknown): boolean {
  if (values) return values.includes(value)
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, items = {} } = schema
  const { minLength = 0, pattern = '' } = schema
  if (type === 'string')
    return typeof value === 'string' && value.length >= minLength && new RegExp(pattern).test(value)
  if (type === 'integer')
    return Number.isSafeInteger(value) && minimum <= Number(value) && Number(value) <= maximum
  if (type === 'boolean') return typeof value === 'boolean'
  if (type !== 'array' || !Array.isArray(value)) return false
  return (
    value.every((item) => fits(items, item)) && (!schema.uniqueItems || new Set(value).size === value.length)
  )
}

/** What is wrong with values that are right each by itself. */
export function crossFaults(config: Config, named: Naming): string[] {
  const faults: string[] = []
  const { issuer, jwtSecret } = config.oauth
  if (!isHttpUrl(issuer) || /[?#]/.test(issuer) || issuer.endsWith('/'))
    faults.push(
      `${named(['oauth', 'issuer'])}: must be an http(s) URL without query, fragment or final slash`,
    )
  if (!isHttpUrl(config.sms.url)) faults.push(`${named(['sms', 'url'])}: must be an http(s) URL`)
  faults.push(...secretFaults(named(['oauth', 'jwtSecret']), jwtSecret))
  if (config.seal.key) faults.push(...secretFaults(named(['seal', 'key']), config.seal.key))
  for (const entry of config.trust_proxy)
    if (!isNetwork(entry)) faults.push(`${named(['trust_proxy'])}: ${entry} is no address or CIDR`)
  for (const entry of config.egress.allow)
    if (!isNetwork(entry) && !isHost(entry))
      faults.push(
        `${named(['egress', 'allow'])}: ${entry} is no host name, address or CIDR (such as 10.0.0.0/8)`,
      )
  return [...faults, ...keyFaults(config, named)]
}

function keyFaults({ oauth, auth }: Config, named: Naming): string[] {
  const faults: string[] = []
  const { period_seconds, prepublish_seconds, retain_seconds } = oauth.keys
  const key = (name: string) => named(['oauth', 'keys', name])
  if (2 * prepublish_seconds > period_seconds)
    faults.push(`${key('prepublish_seconds')}: must be at most half of ${key('period_seconds')}`)
  for (const [path, seconds] of [
    [['oauth', 'token_lifetime', 'access_token'], oauth.token_lifetime.access_token],
    [['auth', 'session_absolute_seconds'], auth.session_absolute_seconds],
  ] as const)
    if (retain_seconds < seconds)
      faults.push(`${key('retain_seconds')}: must be at least ${named([...path])}`)
  return faults
}

const placeholders = /^(change-?me|secret|password|placeholder|example|x+|0+|1234567890.*)$/i

function secretFaults(name: string, secret: string): string[] {
  if (secret.length < 32) return [`${name}: must have 32 characters or more`]
  if (placeholders.test(secret) || new Set(secret).size < 8)
    return [`${name}: is a placeholder; make one with: openssl rand -base64 48`]
  return []
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function isNetwork(entry: string): boolean {
  const [host = '', bits, ...rest] = entry.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(host)]
  if (longest === undefined || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)
}

function isHost(entry: string): boolean {
  return /^(?!.*\.\d+$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(entry)
}
