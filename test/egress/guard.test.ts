import dns from 'node:dns'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import tap, { test } from 'tap'
import { openEgress } from '#adapters/egress.ts'

let asked = 0
const answers: Record<string, () => [number, Record<string, string>, string | undefined]> = {
  '/ok': () => [200, {}, 'fine'],
  '/away': () => [302, { location: '/ok' }, ''],
  '/large': () => [200, {}, 'x'.repeat(100_000)],
  '/never': () => [200, {}, undefined],
}
const server = createServer((request, response) => {
  asked += 1
  const [status, headers, body] = answers[request.url ?? '']?.() ?? [404, {}, '']
  response.writeHead(status, headers)
  if (body === undefined) response.write('one')
  else response.end(body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
tap.teardown(() => {
  server.closeAllConnections()
  server.close()
})

function egress(allow: string[] = [], timeout = 5000) {
  return openEgress({ egress: { allow, timeout } }, pino({ level: 'silent' }))
}
const refused = { name: 'UpstreamFailure', message: /no public address/ }
const original = dns.lookup

/** Each look-up of a name answers the next of these, as a hostile DNS server would. */
function resolveTo(...answers: string[][]) {
  let calls = 0
  const fake = (_host: string, _options: object, answer: (error: null, all: object[]) => void) => {
    const addresses = answers[Math.min(calls++, answers.length - 1)] ?? []
    setImmediate(() =>
      answer(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    )
  }
  Object.assign(dns, { lookup: fake })
  syncBuiltinESMExports()
  return {
    calls: () => calls,
    [Symbol.dispose]() {
      Object.assign(dns, { lookup: original })
      syncBuiltinESMExports()
    },
  }
}

test('attack 35: no loopback, private, link-local, multicast or metadata address is spoken to, in any spelling', async (t) => {
  const hosts = [
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '017700000001',
      '0.0.0.0',
      '[::1]',
      '[::]',
      'localhost',
    ],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '100.100.100.200',
      '198.18.0.1',
      '192.0.0.192',
    ],
    ...['169.254.169.254', '168.63.129.16', '224.0.0.1', '239.255.255.250', '255.255.255.255', '240.0.0.1'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[::10.0.0.1]'],
    ...[
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[2001::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
    ],
    ...['[fe80::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]'],
  ]
  for (const host of hosts) await t.rejects(egress().send(`http://${host}:${port}/ok`), refused, host)
  t.equal(asked, 0)
  for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x'])
    await t.rejects(egress().send(url), { name: 'UpstreamFailure' }, url)
})

test('attack 35: a name that leads to such an address is refused, also where it mixes them or is mapped', async (t) => {
  for (const addresses of [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['203.0.114.7', '10.0.0.1'], []]) {
    using _ = resolveTo(addresses)
    await t.rejects(egress().send(`http://rebinding.example:${port}/ok`), refused, addresses.join())
  }
  t.equal(asked, 0)
})

test('attack 35: the address that was looked at is the one connected to, however the DNS answers next', async (t) => {
  using first = resolveTo(['127.0.0.1'], ['10.0.0.1'])
  const { status } = await egress(['127.0.0.1']).send(`http://rebinding.example:${port}/ok`)
  t.equal(status, 200)
  t.equal(first.calls(), 1, 'one look-up, by the connection itself')
})

test('attack 35: a redirect is an answer and is not followed', async (t) => {
  asked = 0
  const answer = await egress(['127.0.0.0/8']).send(`http://127.0.0.1:${port}/away`)
  t.match(answer, { status: 302, headers: { location: '/ok' } })
  t.equal(asked, 1)
})

test('egress.allow names hosts, addresses and networks, and opens nothing else', async (t) => {
  const url = (host: string) => `http://${host}:${port}/ok`
  for (const [allow, host] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.0/8', '127.0.0.1'],
    ['LocalHost', 'localhost'],
    ['localhost', 'LOCALHOST'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
  ] as const)
    t.match(await egress([allow]).send(url(host)), { status: 200, body: 'fine' }, `${allow} ${host}`)
  for (const [allow, host] of [
    ['127.0.0.2', '127.0.0.1'],
    ['10.0.0.0/8', '127.0.0.1'],
    ['::1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['host', 'localhost'],
    ['0.0.0.0/32', '127.0.0.1'],
  ] as const)
    await t.rejects(egress([allow]).send(url(host)), refused, `${allow} ${host}`)
})

test('an answer that is too large or never ends is a failure in bounded time, and may be tried again', async (t) => {
  const { send, isFinal } = egress(['127.0.0.1'], 500)
  for (const path of ['/large', '/never']) {
    const error = await send(`http://127.0.0.1:${port}${path}`).catch((failure) => failure)
    t.match(error, { name: 'UpstreamFailure', message: 'The service does not answer.' }, path)
    t.equal(isFinal(error), false)
  }
  t.equal(isFinal(await send('http://10.0.0.1/').catch((failure) => failure)), true)
})
