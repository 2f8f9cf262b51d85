import type { Test } from 'tap'
import type { Client, Evidence, Made, Seen } from './seen.ts'
import { wasLost } from './seen.ts'

/** Far above what the time limits of the pods add up to: who waits longer has been forgotten. */
const longestMilliseconds = 10_000

export type Allowed = {
  /** Answers that may be lost on the way. */
  lost?: number
  /** What was acknowledged in it may be lost, as docs/operations.md says of the fault; nothing that was outside of it. */
  window?: Window | undefined
}
export type Window = {
  /** By `performance.now()`. */
  from: number
  to: number
  /** Of these alone, each until then; all until the end, unless given. */
  kinds?: Partial<Record<Kind, number>>
}
/** Milliseconds in which the answer to what a server had done before it died may still arrive. */
export const onTheWay = 1000
type Kind = 'user' | 'group' | 'client' | 'session' | 'refresh token'
type Loss = { kind: Kind; at: number; what: string }

/** Failures were told in time and in our form, and everything that was acknowledged is there, whole. */
export async function judge(t: Test, client: Client, admin: string, load: Evidence, allowed: Allowed) {
  const { seen, acknowledged, refreshes } = load
  const slowest = Math.max(...seen.map(({ milliseconds }) => milliseconds))
  t.ok(slowest < longestMilliseconds, `every answer came: the slowest took ${slowest.toFixed()} ms`)
  t.comment(`${summaryOf(seen)}; the slowest answer took ${slowest.toFixed()} ms`)
  const failures = load.failures()
  t.same(
    failures.filter((each) => !wasLost(each) && !inOurForm(each)),
    [],
    'errors are in our form',
  )
  const losses = failures.filter(wasLost).length
  const most = allowed.lost ?? 0
  t.ok(losses <= most, `${losses} answers were lost on the way, at most ${most} may be`)
  t.comment(
    `refresh tokens: rotated ${refreshes.rotated}, answered with an error ${refreshes.answeredWithAnError}; answers lost on the way ${losses}; sessions lost by a lost answer ${refreshes.sessionsLostByALostAnswer}`,
  )
  const { users, groups, sessions } = acknowledged
  t.ok(seen.length > 30 && users.length > 0 && groups.length > 0 && sessions.length > 0, 'there was a load')
  const { window } = allowed
  const gone = await lostOf(client, admin, load, window)
  const inWindow = ({ kind, at }: Loss) =>
    isWithin(window, at) && at <= (window?.kinds ? (window.kinds[kind] ?? 0) : Infinity)
  t.same(
    gone.filter((loss) => !inWindow(loss)),
    [],
    'nothing that was acknowledged is lost, and a refresh token outlives a request that was answered with an error',
  )
  if (window) tellWindow(t, window, load, gone.filter(inWindow))
  t.same(await halfMade(client, admin, load), [], 'no user and no group is half made')
}

/** Everything that was acknowledged is there. */
export async function isWhole(t: Test, client: Client, admin: string, load: Evidence) {
  t.same(await missing(client, admin, load), [], 'everything that was acknowledged is there')
}

export const isWithin = (window: Window | undefined, at: number) =>
  window !== undefined && at >= window.from && at <= window.to

function tellWindow(t: Test, window: Window, { acknowledged }: Evidence, gone: Loss[]) {
  const { from, to } = window
  const within = Object.values(acknowledged).flatMap((list: { at: number }[]) =>
    list.filter(({ at }) => isWithin(window, at)),
  )
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2)
  const after = gone.map(({ at }) => at - from)
  t.comment(
    `window of ${seconds(to - from)} s from ${from}: ${within.length} writes were acknowledged in it, ${gone.length} of them lost` +
      (gone.length === 0
        ? ''
        : `, the first ${seconds(Math.min(...after))} s and the last ${seconds(Math.max(...after))} s after it began (${count(gone.map(({ kind }) => kind))})`),
  )
}

/** What was acknowledged and is not there, or was found not to be there meanwhile. */
async function lostOf(client: Client, admin: string, load: Evidence, window?: Window): Promise<Loss[]> {
  const losses = await missing(client, admin, load, window)
  for (const at of load.refused)
    losses.push({ kind: 'refresh token', at, what: 'a refresh token is refused' })
  for (const { uid, at } of load.strangers)
    if (!losses.some(({ at: known }) => known === at))
      losses.push({ kind: 'user', at, what: `${uid} could not sign in` })
  return losses
}

async function missing(client: Client, admin: string, load: Evidence, window?: Window): Promise<Loss[]> {
  const { users, groups, clients, sessions } = load.acknowledged
  const losses: Loss[] = []
  const looks: [Kind, number, string, string?][] = [
    ...users.map(({ uid, at }): [Kind, number, string] => ['user', at, `/api/user/${uid}`]),
    ...groups.map(({ name, at }): [Kind, number, string] => ['group', at, `/api/group/${name}`]),
    ...clients.map(({ id, at }): [Kind, number, string] => ['client', at, `/api/oauth/client/${id}`]),
    ...sessions
      .filter((each, index) => isWithin(window, each.at) || index >= sessions.length - 20)
      .map(({ token, at }): [Kind, number, string, string] => ['session', at, '/api/user/me', token]),
  ]
  await eightAtATime(looks, async ([kind, at, path, token = admin]) => {
    const { status, text } = await client.request('GET', path, { token })
    if (status !== 200) losses.push({ kind, at, what: `${path}: ${status} ${text.slice(0, 200)}` })
  })
  return losses
}

/** There, whole and of use, or not there at all: then the same can be made, and nothing stands in its way. */
async function halfMade(
  client: Client,
  admin: string,
  { acknowledged, doubtful }: Evidence,
): Promise<string[]> {
  const half: string[] = []
  const ask = (method: string, path: string, body?: object) =>
    client.request<{ results?: Record<string, unknown> }>(method, path, {
      token: admin,
      ...(body ? { body } : {}),
    })
  const signsIn = ({ uid, password }: Made) => client.login(uid, password).catch(() => undefined)

  async function user({ at: _, ...made }: Made) {
    const { status, body, text } = await ask('GET', `/api/user/${made.uid}`)
    const entry = body.results ?? {}
    if (status === 404) {
      const again = await ask('POST', '/api/user/', { ...made, givenName: 'Given', sn: 'Family' })
      if (again.status !== 200) half.push(`${made.uid} cannot be made: ${again.text}`)
    } else if (entry.mail !== made.mail || entry.sn !== 'Family' || !(Number(entry.uidNumber) > 0))
      half.push(text)
    if (!(await signsIn({ ...made, at: 0 }))) half.push(`${made.uid} does not sign in`)
  }
  async function group(name: string) {
    const { status, body, text } = await ask('GET', `/api/group/${name}`)
    const { description, member, owner } = (body.results ?? {}) as Record<string, unknown[] | string>
    if (status === 404) {
      const again = await ask('POST', '/api/group/', { name, description: 'of the load' })
      if (again.status !== 200) half.push(`${name} cannot be made: ${again.text}`)
    } else if (description !== 'of the load' || !member?.length || !owner?.length) half.push(text)
  }
  await eightAtATime(doubtful.users.concat(acknowledged.users.slice(-10)), user)
  const recent = acknowledged.groups.slice(-10).map(({ name }) => name)
  await eightAtATime(doubtful.groups.concat(recent), group)
  return half
}

async function eightAtATime<T>(items: T[], act: (item: T) => Promise<unknown>) {
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) await act(item)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

/** `{name, message}`, beside the fields of RFC 6749 at the endpoints of OAuth, and a status that says whose fault it is. */
function inOurForm({ status, body }: Seen): boolean {
  const fields = Object.keys(body).filter((field) => !/^error(_description)?$/.test(field))
  return (status === 502 || status === 503) && fields.sort().join() === 'message,name'
}

const summaryOf = (seen: Seen[]) => count(seen.map(({ act, status }) => `${act} ${status}`))

function count(words: string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .sort()
    .map(([what, times]) => `${what}: ${times}`)
    .join(', ')
}
