import { test } from 'tap'
import { Refusal } from '#src/errors.ts'
import { startAuthTests } from './support.ts'

const auth = await startAuthTests({ app_auth__failures: '3' })
const { admin, adminUid, deps, newUser, post, request, signsIn } = auth

type Closed = { uid: string; until: number }
const list = async (query = '') =>
  (
    await request<{ results: Closed[]; next?: string }>('GET', `/api/auth/lockout${query}`, {
      token: admin,
    })
  ).body
const open = (uid: string, token = admin) => request('DELETE', `/api/auth/lockout/${uid}`, { token })
/** Fails until the doors of an account are closed. */
async function closed() {
  const user = await newUser(admin)
  for (let n = 0; n < 3; n++) await post('login', { uid: user.uid, password: 'not the password' })
  return user
}

test('admins see the accounts whose doors failures have closed, until when', async (t) => {
  const { uid } = await closed()
  const found = (await list()).results.find((account) => account.uid === uid)
  const minutes = ((found?.until ?? 0) - Date.now()) / 60_000
  t.ok(minutes > 14.5 && minutes <= 15)
  t.same((await list(`?q=${uid.toUpperCase()}`)).results, [found])
})

test('admins open the doors again, at once', async (t) => {
  const { uid, password } = await closed()
  t.notOk(await signsIn(uid, password))
  t.match(await open(uid.toUpperCase()), { status: 200, body: { results: true, message: String } })
  t.ok(await signsIn(uid, password))
  t.notOk((await list()).results.some((account) => account.uid === uid))
  t.match(await open(uid), { status: 404, body: { name: 'NotFound' } })
  t.match((await auth.audited('lockout.clear')).at(-1), { actor: adminUid, outcome: 'ok' })
})

test('a try that a system behind could not check counts for nothing: no door closes while one is away', async (t) => {
  const { uid, password } = await newUser(admin)
  const away = async () => {
    throw new Refusal('UpstreamFailure')
  }
  for (const behind of [
    { of: deps.users, name: 'verifyPassword' },
    { of: deps.sessions, name: 'generation' },
    { of: deps.sessions, name: 'create' },
  ] as { of: object; name: never }[]) {
    const before = behind.of[behind.name]
    behind.of[behind.name] = away as never
    for (let n = 0; n < 3; n++) t.match(await post('login', { uid, password }), { status: 502 })
    behind.of[behind.name] = before
    t.ok(await signsIn(uid, password), behind.name)
  }
})

test('failures count for one account under all spellings of its name, and under its mail address', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  const fullWidth = uid.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
  for (const name of [uid.toUpperCase(), mail, ` ${fullWidth} `])
    await post('login', { uid: name, password: 'not the password' })
  for (const name of [uid, mail]) t.notOk(await signsIn(name, password), name)
})

test('closed accounts are listed in pages', async (t) => {
  for (let n = 0; n < 3; n++) await closed()
  const all = (await list()).results
  const seen: Closed[] = []
  for (let query = '?limit=2'; query; ) {
    const { results, next } = await list(query)
    seen.push(...results)
    query = next ? `?limit=2&cursor=${next}` : ''
  }
  t.same(seen, all)
  t.match(await request('GET', '/api/auth/lockout?cursor=forged', { token: admin }), { status: 400 })
})

test('only admins see and open them', async (t) => {
  const { token } = await newUser(admin)
  const { uid, password } = await closed()
  const denied = { status: 401, body: { name: 'InsufficientPermission' } }
  t.match(await request('GET', '/api/auth/lockout', { token }), denied)
  t.match(await open(uid, token), denied)
  t.notOk(await signsIn(uid, password))
})
