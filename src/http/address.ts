import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '#src/settings.ts'

const known = new WeakMap<IncomingMessage, string>()

/** `request.ip`, worked out once: Fastify parses X-Forwarded-For and the trusted proxies anew at every look. */
export function wholeAddress(request: FastifyRequest): string {
  const { headers, socket } = request.raw
  if (headers['x-forwarded-for'] === undefined) return socket.remoteAddress ?? ''
  const address = known.get(request.raw) ?? request.ip
  known.set(request.raw, address)
  return address
}

/**
 * The client's address (contract section 1): the socket's, unless it is a trusted proxy that forwards a real one;
 * garbage in X-Forwarded-For changes nothing. IPv6 counts by its /64, since one client owns that many addresses.
 */
export function clientAddress(request: FastifyRequest): string {
  const ip = wholeAddress(request)
  if (isIPv4(ip)) return ip
  if (isIPv6(ip)) return ip.startsWith('::ffff:') ? ip.slice(7) : network64(ip)
  return request.socket.remoteAddress ?? 'unknown'
}

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const all =
    tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return `${all.slice(0, 4).join(':')}::/64`
}

/** Tells a trusted proxy from others, by `config.trust_proxy` as it changes. */
export function trustIn(config: Pick<Config, 'trust_proxy'>): (address: string) => boolean {
  let trusted = { of: [] as string[], list: new BlockList() }
  return (address) => {
    if (trusted.of !== config.trust_proxy)
      trusted = { of: config.trust_proxy, list: listOf(config.trust_proxy) }
    const version = isIP(address)
    return version !== 0 && trusted.list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

function listOf(entries: string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return list
}
