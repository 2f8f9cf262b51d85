import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import type { Answer } from '#test/support/service.ts'
import type { Rig } from './rig.ts'

/** Far above what the time limits of the pods add up to: who waits longer has been forgotten. */
const longestMilliseconds = 10_000

export type Seen = {
  act: string
  status: number
  milliseconds: number
  body: Record<string, unknown>
  text: string
}
type Client = Pick<Rig, 'request' | 'login'>
type Made = { uid: string; password: string; mail: string }

/** The answer that never came: nobody knows what became of the request. nginx says so in a pod's place. */
export const wasLost = ({ status, text }: Pick<Seen, 'status' | 'text'>) =>
  status === 0 || text.includes('The service does not answer')

/**
 * Everyday requests of several people and one application, over and over, at one pod or at what stands before all. Each
 * answer is kept, and so is whatever was acknowledged, which `judge` then looks for.
 */
export function startLoad(client: Client, admin: string) {
  const seen: Seen[] = []
  /** Whose making was answered with an error, or not at all: there, whole, or not there. */
  const doubtful: Made[] = []
  const users: Made[] = []
  const groups: string[] = []
  const clients: string[] = []
  const sessions: string[] = []
  const refreshes = { rotated: 0, refused: 0, lostSessions: 0, wrongfully: 0 }
  const unique = Math.random().toString(36).slice(2, 8)
  let number = 0
  let stopped = false

  /** Asks and remembers; a request that broke off is an answer of status 0. */
  async function request(act: string, method: string, path: string, options: object = {}) {
    const from = performance.now()
    const answer: Pick<Answer, 'status' | 'body' | 'text'> = await client
      .request(method, path, options)
      .catch((error) => ({ status: 0, body: {}, text: String(error.cause ?? error) }))
    const { status, body, text } = answer
    seen.push({ act, status, body: body ?? {}, text, milliseconds: performance.now() - from })
    return { status, body: body ?? {}, text }
  }
  const asAdmin = (act: string, method: string, path: string, body?: object) =>
    request(act, method, path, { token: admin, ...(body ? { body } : {}) })

  const acts: Record<string, () => Promise<void>> = {
    async read() {
      await asAdmin('read', 'GET', '/api/user/me')
    },
    async list() {
      await asAdmin('list', 'GET', '/api/group/')
    },
    async createUser() {
      const uid = `u${unique}-${++number}`
      const made = { uid, password: `password of ${uid}`, mail: `${uid}@example.org` }
      const body = { ...made, givenName: 'Given', sn: 'Family' }
      const { status } = await asAdmin('createUser', 'POST', '/api/user/', body)
      ;(status === 200 ? users : doubtful).push(made)
    },
    async createGroup() {
      const name = `g${unique}-${++number}`
      const { status } = await asAdmin('createGroup', 'POST', '/api/group/', {
        name,
        description: 'of the load',
      })
      if (status === 200) groups.push(name)
    },
    async register() {
      const name = `Application ${++number}`
      const body = { name, redirect_uris: ['https://app.example/cb'] }
      const { status, body: said } = await asAdmin('register', 'POST', '/api/oauth/client/', body)
      if (status === 200) clients.push((said.results as { client_id: string }).client_id)
    },
    async login() {
      const who = users.at(-1)
      if (!who) return
      const { status, body } = await request('login', 'POST', '/api/auth/login', {
        body: { uid: who.uid, password: who.password },
      })
      if (status === 200) sessions.push(String(body.token))
    },
  }
  const loops = Object.values(acts).map((act) => loop(act))
  loops.push(refreshing())

  async function loop(act: () => Promise<void>) {
    while (!stopped) {
      await act()
      await pause(40)
    }
  }

  /**
   * An application that keeps its refresh token whenever it is told of an error, and uses it again. It loses its session
   * when an answer was lost that had used the token up; told of an error before, it must not.
   */
  async function refreshing() {
    const party = relyingParty(client as Rig, admin)
    const begin = async () => {
      const application = await party.register()
      return { application, token: (await party.tokensFor(application, admin)).refresh_token }
    }
    let held: Awaited<ReturnType<typeof begin>> | undefined
    let lost = false
    for (; !stopped; await pause(40)) {
      held ??= await begin().catch(() => undefined)
      if (!held) continue
      const { client_id, client_secret } = held.application
      const body = { client_id, client_secret, grant_type: 'refresh_token', refresh_token: held.token }
      const answer = await request('refresh', 'POST', '/oauth/token', { body })
      if (answer.status === 200) {
        refreshes.rotated++
        held.token = String(answer.body.refresh_token)
        lost = false
      } else if (answer.status === 400) {
        if (lost) {
          refreshes.lostSessions++
          seen.pop() // an answer lost on the way costs this one session
        } else refreshes.wrongfully++
        held = undefined
        lost = false
      } else {
        refreshes.refused++
        lost ||= wasLost(answer)
      }
    }
  }

  async function nothingLost(t: Test) {
    const ask = (path: string, token = admin) => client.request('GET', path, { token })
    const missing: string[] = []
    const look = async (what: string, path: string, good: (answer: Answer) => boolean, token?: string) => {
      const answer = await ask(path, token)
      if (!good(answer)) missing.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    const found = ({ status }: Answer) => status === 200
    for (const { uid } of users) await look(`user ${uid}`, `/api/user/${uid}`, found)
    for (const name of groups) await look(`group ${name}`, `/api/group/${name}`, found)
    for (const id of clients) await look(`client ${id}`, `/api/oauth/client/${id}`, found)
    for (const token of sessions.slice(-20)) await look('a session', '/api/user/me', found, token)
    t.same(missing, [], 'nothing that was acknowledged is lost')
    const half: string[] = []
    for (const made of doubtful.concat(users.slice(-10))) {
      const answer = await ask(`/api/user/${made.uid}`)
      const entry = (answer.body.results ?? {}) as { mail?: string; sn?: string; uidNumber?: number }
      const whole = entry.mail === made.mail && entry.sn === 'Family' && Number(entry.uidNumber) > 0
      if (answer.status !== 404 && !whole) half.push(answer.text)
      else if (whole && !(await signsIn(made))) half.push(`${made.uid} does not sign in`)
    }
    t.same(half, [], 'no user is half made')
  }

  const signsIn = (made: Made) => client.login(made.uid, made.password).catch(() => undefined)

  return {
    seen,
    refreshes,
    acknowledged: { users, groups, clients, sessions },
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
    /** What went wrong, by act and answer. */
    failures: () => seen.filter(({ status }) => status !== 200),
    /** Failures were told in time and in our form, and everything that was acknowledged is there, whole. */
    async judge(t: Test, { lost = 0 }: { lost?: number } = {}) {
      const slowest = Math.max(...seen.map(({ milliseconds }) => milliseconds))
      t.ok(slowest < longestMilliseconds, `every answer came: the slowest took ${slowest.toFixed()} ms`)
      const failures = seen.filter(({ status }) => status !== 200)
      t.same(
        failures.filter((each) => !wasLost(each) && !inOurForm(each)),
        [],
        'errors are in our form',
      )
      const losses = failures.filter(wasLost).length
      t.ok(losses <= lost, `${losses} answers were lost on the way, at most ${lost} may be`)
      t.equal(refreshes.wrongfully, 0, 'a refresh token outlives a request that was answered with an error')
      t.ok(
        seen.length > 30 && users.length > 0 && groups.length > 0 && sessions.length > 0,
        'there was a load',
      )
      t.comment(summaryOf(seen), refreshes)
      await nothingLost(t)
    },
  }
}

/** `{name, message}`, beside the fields of RFC 6749 at the endpoints of OAuth, and a status that says whose fault it is. */
function inOurForm({ status, body }: Seen): boolean {
  const fields = Object.keys(body).filter((field) => !/^error(_description)?$/.test(field))
  return (status === 502 || status === 503) && fields.sort().join() === 'message,name'
}

function summaryOf(seen: Seen[]): string {
  const counts = new Map<string, number>()
  for (const { act, status } of seen)
    counts.set(`${act} ${status}`, (counts.get(`${act} ${status}`) ?? 0) + 1)
  return [...counts]
    .sort()
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ')
}
