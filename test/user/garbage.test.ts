import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, newUser, request } = users

let seed = 20_261_121
const below = (n: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed % n
}
const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T
const names = [
  ...['uid', 'password', 'confirm', 'current', 'givenName', 'sn', 'mail', 'mobile', 'dateOfBirth'],
  ...['sshPublicKey', 'key', 'active', '__proto__', 'constructor', 'toString', ''],
]
const texts = [
  '',
  ' ',
  '\0',
  'a'.repeat(5000),
  '*)(uid=*',
  '\ud800',
  '🙂',
  "'; --",
  '\r\n',
  'a@b.example',
  '1990-01-01',
]

/** Any JSON, some levels deep. */
function garbage(depth = 0): unknown {
  switch (below(depth > 3 ? 5 : 7)) {
    case 0:
      return pick(texts)
    case 1:
      return pick([0, -1, 1e308, 1.5, 2 ** 53])
    case 2:
      return below(2) === 1
    case 3:
      return null
    case 4:
      return `x${below(1000)}`
    case 5:
      return Array.from({ length: below(4) }, () => garbage(depth + 1))
    default:
      return Object.fromEntries(Array.from({ length: below(5) }, () => [pick(names), garbage(depth + 1)]))
  }
}

test('random bodies of every type, depth and size never give a 5xx on the routes of users', async (t) => {
  const { uid, token } = await newUser(admin)
  const routes = [
    ['POST', ''],
    ['PUT', uid],
    ['PUT', `${uid}/password`],
    ['PUT', 'password'],
    ['PUT', `${uid}/active`],
    ['POST', 'key'],
    ['POST', 'accept-tos'],
  ] as const
  const statuses = new Set<number>()
  for (let n = 0; n < 400; n++) {
    const [method, path] = pick(routes)
    const by = path === 'password' || path === 'key' || path === uid ? token : admin
    const { status, text } = await request(method, `/api/user/${path}`, {
      token: by,
      body: JSON.stringify(garbage()),
    })
    statuses.add(status)
    if (status >= 500) t.fail(`${method} ${path}: ${status} ${text}`)
  }
  t.ok(statuses.has(400))
  t.equal((await request('GET', '/healthz')).status, 200)
})

test('random paths and queries never give a 5xx on the routes of users', async (t) => {
  for (const text of [...texts, '%', '%zz', '%e0%a4%a', '..', '../..', 'a/b', 'x'.repeat(2000)]) {
    const escaped =
      text.isWellFormed() && !text.startsWith('%')
        ? encodeURIComponent(text)
        : text.replace('\ud800', '%ed%a0%80')
    for (const path of [
      escaped,
      `${escaped}/verification`,
      `?q=${escaped}`,
      `?cursor=${escaped}&limit=1`,
      `?limit=${escaped}`,
      `?sort=${escaped}`,
    ]) {
      const { status, text: said } = await request('GET', `/api/user/${path}`, { token: admin })
      if (status >= 500) t.fail(`GET ${path}: ${status} ${said}`)
    }
  }
  t.pass('all were answered')
})
