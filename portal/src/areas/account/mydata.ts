import { api, ok } from '../../api/client.ts'
import { activity } from './queries.ts'

/** What the API answers about its caller, each under its path. */
export async function everythingOf(): Promise<Record<string, unknown>> {
  const [me, verified, sessions, applications, tokens, requests] = await Promise.all([
    ok(api.GET('/api/user/me')),
    ok(api.GET('/api/user/me/verification')),
    ok(api.GET('/api/auth/session/')),
    ok(api.GET('/api/oauth/grant/')),
    ok(api.GET('/api/api-token/')),
    ok(api.GET('/api/access-requests/mine')),
  ])
  return {
    made_on: new Date().toISOString(),
    account: me,
    verification: verified.results,
    sessions: sessions.results,
    applications: applications.results,
    access_tokens: tokens.results,
    access_requests: requests.results,
    activity: await wholeActivity(),
  }
}

async function wholeActivity(): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor: string | undefined
  do {
    const { results, next } = await activity({ limit: 1000, cursor })
    all.push(...results)
    cursor = next
  } while (cursor !== undefined)
  return all
}

export function saveAsFile(name: string, content: unknown): void {
  const link = document.createElement('a')
  link.download = name
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  link.click()
  URL.revokeObjectURL(link.href)
}
