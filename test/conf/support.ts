import tap from 'tap'
import { clientOf } from '#test/support/client.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

/** The service in this process, and beside it a pod in a process of its own. */
export async function startConfTests(settings: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const service = stack.use(await startTestService({ app_log__level: 'silent', ...settings }))
  tap.teardown(() => stack.disposeAsync())
  const environment = await service.environmentOfPod()
  const child = await startPod({ ...environment, app_log__level: 'info' }, stack, { joins: true })
  const url = `http://127.0.0.1:${environment.app_listen__port}`
  const other = { ...clientOf(url), url, said: child.said }
  const token = await service.login(service.admin.uid, service.admin.password)
  const post = (body: unknown) => service.request('POST', '/api/conf', { token, body })

  /** Waits until something is so on the other pod, and tells how long after the answer to the change it was. */
  async function follows(what: string, ask: () => Promise<unknown>): Promise<string> {
    const start = performance.now()
    await until(what, async () => Boolean(await ask()))
    return `${what}: ${Math.round(performance.now() - start)} ms after the answer`
  }
  return { service, other, token, post, follows, redis: service.deps.store.redis }
}
