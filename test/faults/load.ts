import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Answer } from '#test/support/client.ts'
import type { Allowed } from './judge.ts'
import { isWhole, judge } from './judge.ts'
import { keepRefreshing } from './refreshing.ts'
import type { Acknowledged, Client, Evidence, Made, Seen } from './seen.ts'

/** Whoever has no answer by now gets none, and `judge` says so. */
const forgottenMilliseconds = 30_000

export type Load = ReturnType<typeof startLoad>

/**
 * Everyday requests of several people and one application, over and over, at one pod or at what stands before all. Each
 * answer is kept, and so is whatever was acknowledged, which `judge` then looks for.
 */
export function startLoad(client: Client, admin: string) {
  const seen: Seen[] = []
  const acknowledged: Acknowledged = { users: [], groups: [], clients: [], sessions: [] }
  const doubtful: Evidence['doubtful'] = { users: [], groups: [] }
  const strangers: Made[] = []
  const unique = Math.random().toString(36).slice(2, 8)
  let number = 0
  let stopped = false

  /** Asks and remembers; a request that broke off is an answer of status 0. */
  async function request(act: string, method: string, path: string, options: object = {}) {
    const began = performance.now()
    const answer: Pick<Answer, 'status' | 'body' | 'text'> = await Promise.race([
      client.request(method, path, options),
      pause(forgottenMilliseconds, undefined, { ref: false }).then(() => {
        throw new Error('no answer')
      }),
    ]).catch((error) => ({ status: 0, body: {}, text: String(error.cause ?? error) }))
    const at = performance.now()
    const { status, body, text } = answer
    const entry: Seen = { act, status, body: body ?? {}, text, began, milliseconds: at - began }
    seen.push(entry)
    return { ...entry, at, entry }
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
      const { status, at } = await asAdmin('createUser', 'POST', '/api/user/', body)
      ;(status === 200 ? acknowledged : doubtful).users.push({ ...made, at })
    },
    async createGroup() {
      const name = `g${unique}-${++number}`
      const body = { name, description: 'of the load' }
      const { status, at } = await asAdmin('createGroup', 'POST', '/api/group/', body)
      if (status === 200) acknowledged.groups.push({ name, at })
      else doubtful.groups.push(name)
    },
    async register() {
      const name = `Application ${++number}`
      const body = { name, redirect_uris: ['https://app.example/cb'] }
      const { status, body: said, at } = await asAdmin('register', 'POST', '/api/oauth/client/', body)
      if (status !== 200) return
      acknowledged.clients.push({ id: (said.results as { client_id: string }).client_id, at })
    },
    async login() {
      const who = acknowledged.users.at(-1)
      if (!who) return
      const { status, body, at, entry } = await request('login', 'POST', '/api/auth/login', {
        body: { uid: who.uid, password: who.password },
      })
      if (status === 200) acknowledged.sessions.push({ token: String(body.token), at })
      if (status !== 401) return
      strangers.push(who)
      entry.follows = true
    },
  }
  const refreshing = keepRefreshing(client, admin, request)
  const loops = Object.values(acts).map((act) => loop(act))

  async function loop(act: () => Promise<void>) {
    while (!stopped) {
      await act()
      await pause(40)
    }
  }

  const evidence: Evidence = {
    seen,
    acknowledged,
    doubtful,
    strangers,
    refreshes: refreshing.counts,
    refused: refreshing.refused,
    failures: () => seen.filter(({ status, follows }) => status !== 200 && !follows),
  }
  return {
    ...evidence,
    async stop() {
      stopped = true
      await Promise.all([...loops, refreshing.stop()])
    },
    /** Failures were told in time and in our form, and everything that was acknowledged is there, whole. */
    judge: (t: Test, allowed: Allowed = {}) => judge(t, client, admin, evidence, allowed),
    /** Everything that was acknowledged is there, now. */
    isWhole: (t: Test) => isWhole(t, client, admin, evidence),
  }
}
