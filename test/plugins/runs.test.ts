import { once } from 'node:events'
import { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { startPod } from '#test/support/pod.ts'
import { until } from '#test/support/until.ts'
import { startPluginTests } from './support.ts'

const { admin, ask, check, deps, ended, environmentOfPod, receiver, request, runs, secondPod } =
  await startPluginTests({ app_egress__timeout: '30000' })
type Tested = { success: boolean; message: string; log: string }

test('discovery/http-check asks an address with its secret, and tells status and text that are not as expected', async (t) => {
  const { id } = await check('asked', {}, { status: 201 })
  await ask('PUT', `/${id}/secrets`, { authorization: 'Basic c2VjcmV0' })
  receiver.answers.set('/asked', [201, 500])
  t.match((await ask<Tested>('POST', `/${id}/test`)).body, { success: true, log: /answered 201/ })
  t.match(receiver.at('asked')[0]?.headers, { authorization: 'Basic c2VjcmV0' })
  t.match((await ask<Tested>('POST', `/${id}/test`)).body, {
    success: false,
    message: /answered 500, not 201/,
  })
  const worded = await check('worded', {}, { contains: 'a word' })
  t.match((await ask<Tested>('POST', `/${worded.id}/test`)).body, {
    success: false,
    message: /expected text/,
  })
  t.same(await runs(id), [], 'a test is no run')
})

test('messaging/webhook posts its message as JSON with its secret, and fails where it is not taken', async (t) => {
  const config = { url: `${receiver.url}/chat`, message: 'Good "morning"', field: 'content' }
  const { body } = await ask('POST', '', { pluginType: 'messaging/webhook', name: 'chat', config })
  const { id } = body.results
  await ask('PUT', `/${id}/secrets`, { authorization: 'Bearer chat' })
  t.match((await ask<Tested>('POST', `/${id}/test`)).body, { success: true })
  const [message] = receiver.at('chat')
  t.match(message?.headers, { authorization: 'Bearer chat', 'content-type': 'application/json' })
  t.same(JSON.parse(message?.body ?? ''), { content: 'Good "morning"' })
  receiver.answers.set('/chat', [302])
  t.match((await ask<Tested>('POST', `/${id}/test`)).body, { success: false, message: /302/ })
})

test('attack 35: a plugin reaches no loopback or private address unless egress.allow names it', async (t) => {
  const { id } = await check('inside')
  const { allow } = deps.config.egress
  deps.config.egress.allow = []
  t.match((await ask<Tested>('POST', `/${id}/test`)).body, { success: false, message: /no public address/ })
  deps.config.egress.allow = allow
  t.equal(receiver.at('inside').length, 0)
})

test('POST /api/plugins/:id/run runs it on a pod; GET /api/plugins/:id/runs tells how it went, the instance its last', async (t) => {
  const { id } = await check('ran')
  receiver.answers.set('/ran', [200, 500])
  const { body } = await ask<{ results: { run_id: string } }>('POST', `/${id}/run`)
  const [first] = await ended(id)
  t.match(first, { id: body.results.run_id, status: 'ok', error: null, log: /answered 200/ })
  t.ok((first?.finished_at ?? 0) >= (first?.started_at ?? Number.MAX_SAFE_INTEGER))
  await ask('POST', `/${id}/run`)
  const [second] = await ended(id, 2)
  t.match(second, { status: 'error', error: /answered 500/ })
  const shown = (await ask('GET', `/${id}`)).body.results
  t.match(shown, { last_status: 'error', last_error: /500/, last_run_at: second?.started_at })
})

test('a run that takes too long is ended, and shows as running before', async (t) => {
  const { id } = await check('slow')
  receiver.answers.set('/slow', [0])
  const { timeout } = deps.config.plugins
  deps.config.plugins.timeout = 15_000
  await ask('POST', `/${id}/run`)
  await receiver.awaited('slow')
  t.match((await ask('GET', `/${id}`)).body.results, { last_status: 'running' })
  t.match(await ended(id), [{ status: 'error', error: /took longer than 15000 ms/ }])
  deps.config.plugins.timeout = timeout
  t.equal((await request('GET', '/healthz')).status, 200)
})

test('a schedule runs once at each time among two pods, stops with unload and goes on with load', async (t) => {
  await using _other = await secondPod({ app_egress__allow: '127.0.0.1' })
  const { id } = await check('ticking', { cron: '* * * * * *', enabled: false })
  await ask('POST', `/${id}/load`)
  const all = await ended(id, 5)
  const times = all.map(({ id }) => id)
  t.equal(new Set(times).size, times.length)
  const seconds = all.map(({ id }) => id.split(':').at(-1))
  t.equal(new Set(seconds).size, seconds.length, 'one for each second')
  t.match((await ask('POST', `/${id}/unload`)).body.results, { enabled: false })
  const settled = await until('no run under way', async () => {
    const { waiting, active, delayed } = await deps.store.runs.counts()
    return waiting + active + delayed === 0 && (await runs(id)).length
  })
  await new Promise((resolve) => setTimeout(resolve, 2500))
  t.equal((await runs(id)).length, settled)
  await ask('POST', `/${id}/load`)
  await ended(id, settled + 1)
  await ask('DELETE', `/${id}`)
})

test('a job that an earlier schedule made does nothing when it comes', async (t) => {
  const cron = '0 0 1 1 *'
  const { id } = await check('changed', { cron })
  const come = (by: string) =>
    deps.store.runs.add({ id: `come-${by}`, kind: 'run', data: { instance: id, cron: by } })
  await come('0 0 2 1 *')
  await until('the earlier one is done', async () => {
    const { waiting, active } = await deps.store.runs.counts()
    return waiting + active === 0
  })
  t.same(await runs(id), [])
  await come(cron)
  t.equal((await ended(id)).length, 1)
})

test('a schedule that a pod stored and did not load any more is loaded by the next that starts', async (t) => {
  const { id } = await check('unloaded', { cron: '* * * * * *', enabled: false })
  await deps.store.plugins.update(id, (current) => ({ ...current, enabled: true }))
  t.same(await runs(id), [])
  await using _next = await secondPod({ app_egress__allow: '127.0.0.1' })
  t.match((await ended(id))[0], { status: 'ok' })
  await ask('DELETE', `/${id}`)
})

test('kill -9 of the pod that runs: another takes the run over', async (t) => {
  await using stack = new AsyncDisposableStack()
  const own = { app_egress__allow: '127.0.0.1', app_egress__timeout: '30000', app_redis__prefix: 'taken' }
  const environment = await environmentOfPod({ ...own, app_log__level: 'info' })
  const pod = await startPod(environment, stack, { joins: true })
  const { request: there, login } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
  const token = await login(admin.uid, admin.password)
  const body = { pluginType: 'discovery/http-check', name: 'over', config: { url: `${receiver.url}/over` } }
  const made = await there<{ results: { id: string } }>('POST', '/api/plugins', { token, body })
  receiver.answers.set('/over', [0])
  await there('POST', `/api/plugins/${made.body.results.id}/run`, { token })
  await receiver.awaited('over')
  pod.process.kill('SIGKILL')
  await once(pod.process, 'exit')
  await using other = await secondPod(own)
  const [run] = await until('the run that was taken over', async () => {
    const all = await other.deps.store.plugins.history(made.body.results.id)
    return all[0]?.status === 'ok' && all
  })
  t.match(run, { status: 'ok', log: /answered 204/ })
  t.equal(receiver.at('over').length, 2)
})
