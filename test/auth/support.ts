import tap from 'tap'
import { delivered } from '#test/support/delivered.ts'
import { startMessages } from '#test/support/messages.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

export type Said = Record<string, unknown> & { name: string; message: string; token: string }

/** The service with its mail and SMS caught, and its first administrator signed in. Closed after the file's last test. */
export async function startAuthTests(settings: Record<string, string> = {}) {
  const messages = await startMessages()
  const service = await startTestService({ ...messages.settings, ...settings })
  tap.teardown(async () => {
    await service[Symbol.asyncDispose]()
    await messages[Symbol.asyncDispose]()
  })
  const { request, login, deps } = service
  const admin = await login(service.admin.uid, service.admin.password)

  const post = (path: string, body: unknown, options: { token?: string; address?: string } = {}) =>
    request<Said>('POST', `/api/auth/${path}`, { body, ...options })

  return {
    ...service,
    messages,
    adminUid: service.admin.uid,
    admin,
    post,
    me: (token: string) => request<Said>('GET', '/api/user/me', { token }),
    /** True when the password opens a session. */
    signsIn: async (uid: string, password: string) => (await post('login', { uid, password })).status === 200,
    setActive: (uid: string, active: boolean) =>
      request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active } }),
    verification: async (uid: string) =>
      (await request('GET', `/api/user/${uid}/verification`, { token: admin })).body,
    /** Mails to an address once everything that was begun has ended: for saying that none came. */
    async mailsInTheEnd(address: string) {
      await delivered(deps)
      return messages.mailsTo(address)
    },
    async audited(action: string) {
      await deps.audit.settled()
      return (await deps.audit.read()).filter((event) => event.action === action)
    },
    /** Every value that Redis holds, and every key, as text: for looking for what must not be there. */
    async storedText(): Promise<string> {
      const { redis } = deps.store
      const keys = await keysIn(redis)
      return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await storedAt(key)])))
    },
  }

  async function storedAt(key: string): Promise<unknown> {
    const { redis } = deps.store
    const type = await redis.type(key)
    if (type === 'hash') return redis.hgetall(key)
    if (type === 'zset') return redis.zrange(key, 0, '-1')
    if (type === 'set') return redis.smembers(key)
    if (type === 'stream') return redis.xrange(key, '-', '+')
    return type === 'string' ? redis.get(key) : ''
  }
}

/** Asking for one-time codes, reading them from the mails, and trying them. */
export function codesOf({
  post,
  messages,
}: Pick<Awaited<ReturnType<typeof startAuthTests>>, 'post' | 'messages'>) {
  const codeIn = (text: string | undefined) => /\b\d{6}\b/.exec(text ?? '')?.[0] as string
  return {
    ask: (login: string, method = 'email', address?: string) =>
      post('otp/request', { login, method }, address ? { address } : {}),
    verify: (login: string, code: unknown, address?: string) =>
      post('otp/verify', { login, code }, address ? { address } : {}),
    codeIn,
    codeByMail: async (mail: string, nth = 1) => codeIn((await messages.mailTo(mail, nth)).text),
    wrongFor: (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0'),
  }
}
