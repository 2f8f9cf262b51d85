/**
 * Requests to addresses that somebody else wrote down (clients' logout URIs; webhooks and plugins): only to the public
 * internet, unless `egress.allow` names the host or its network (contract section 11). The check is made on the address
 * that the connection goes to, in the look-up of the connection itself, so no second answer of the DNS comes between.
 * Redirects are answers like any other, never followed; time and size of an answer are bounded.
 */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Logger } from 'pino'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

export type Sending = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string
}
export type Received = { status: number; headers: IncomingMessage['headers']; body: string }
export type Egress = ReturnType<typeof openEgress>

const mostBytes = 64 * 1024

/** `send` throws UpstreamFailure when the address is refused, or does not answer whole and in time. */
export function openEgress(config: Pick<Config, 'egress'>, log: Logger) {
  return {
    async send(
      address: string,
      sending: Sending = {},
      { answerBytes = mostBytes }: { answerBytes?: number } = {},
    ): Promise<Received> {
      try {
        return await exchange(new URL(address), sending, { ...config.egress, answerBytes })
      } catch (cause) {
        log.warn({ err: cause }, 'a request to another service failed')
        const why = cause instanceof AddressRefused ? cause.message : 'The service does not answer.'
        throw new Refusal('UpstreamFailure', why, { cause })
      }
    },
    /** True when the address may not be spoken to: trying again is no use. */
    isFinal: (error: unknown): boolean => (error as Error).cause instanceof AddressRefused,
  }
}

class AddressRefused extends Error {
  constructor(host: string) {
    super(`${host} is no public address, and egress.allow does not name it.`)
  }
}

function exchange(
  url: URL,
  { method = 'GET', headers = {}, body }: Sending,
  { allow, timeout, answerBytes }: Config['egress'] & { answerBytes: number },
): Promise<Received> {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const rules = rulesOf(allow)
  // A literal address is connected to without any look-up.
  if (isIP(host) && !mayReach(host, host, rules)) throw new AddressRefused(host)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new AddressRefused(url.protocol)
  const content = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const request = (url.protocol === 'https:' ? secure : plain)(url, {
    method,
    headers: { ...headers, ...content },
    agent: false,
    lookup: guardedLookup(rules),
    signal: AbortSignal.timeout(timeout),
  })
  request.on('error', reject)
  request.on('response', (response) => whole(response, answerBytes).then(resolve, reject))
  request.end(body)
  return promise
}

/** Answers the addresses of a name only where all of them may be reached: a name that mixes them is up to no good. */
function guardedLookup(rules: Rules): LookupFunction {
  return (host, options: LookupOptions, answer) => {
    lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
      if (error) return answer(error, '')
      const refused =
        addresses.length === 0 || addresses.some(({ address }) => !mayReach(host, address, rules))
      if (refused) return answer(new AddressRefused(host), '')
      if (options.all) return answer(null, addresses)
      const { address, family } = addresses[0] as LookupAddress
      answer(null, address, family)
    })
  }
}

async function whole(response: IncomingMessage, most: number): Promise<Received> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > most) throw new Error(`the answer is larger than ${most} bytes`)
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks).toString(),
  }
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]
type Rules = { names: Set<string>; networks: Network[] }

function rulesOf(allow: string[]): Rules {
  const isNetwork = (entry: string) => ipaddr.isValidCIDR(entry) || isIP(entry) !== 0
  return {
    names: new Set(allow.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase())),
    networks: allow.filter(isNetwork).map((entry) => {
      if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
      return [ipaddr.parse(entry), isIP(entry) === 4 ? 32 : 128]
    }),
  }
}

function mayReach(host: string, address: string, { names, networks }: Rules): boolean {
  if (names.has(host.toLowerCase().replace(/\.$/, ''))) return true
  if (!ipaddr.isValid(address)) return false
  const target = ipaddr.process(address) // an IPv4 address in IPv6's clothes is an IPv4 address
  if (networks.some(([base, bits]) => base.kind() === target.kind() && target.match(base, bits))) return true
  return isPublic(target)
}

/** Azure answers guests about themselves at an address that looks public. */
const metadata = new Set(['168.63.129.16'])

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || metadata.has(address.toString())) return false
  // Of IPv6 only 2000::/3 is given out (RFC 4291 section 2.4).
  return address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
