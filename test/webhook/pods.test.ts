import { once } from 'node:events'
import tap, { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { delivered } from '#test/support/delivered.ts'
import { startPod } from '#test/support/pod.ts'
import { until } from '#test/support/until.ts'
import { startWebhookTests } from './support.ts'

// Whoever is slow to answer on a busy machine is not asked twice.
const service = await startWebhookTests()
const { adminToken, deliveries, deps, environmentOfPod, hook, receiver, request, secondPod, servers } =
  service
const redis = await servers.redis.open()
tap.teardown(() => redis.disconnect())
const own = { app_egress__allow: '127.0.0.1', app_webhooks__backoff: '50' }

test('two pods deliver each event once, in spite of both looking for new ones', async (t) => {
  await using other = await secondPod(own)
  const { id } = await hook('once', ['tos.publish'])
  const publish = async (pod: typeof request, n: number) => {
    const { status } = await pod('PUT', '/api/tos', { token: adminToken, body: { text: `Terms ${n}` } })
    t.equal(status, 200)
  }
  for (let n = 0; n < 40; n++) await publish(n % 2 ? request : other.request, n)
  await receiver.awaited('once', 40)
  await delivered(deps)
  const ids = receiver.at('once').map(({ headers }) => headers['webhook-id'])
  t.equal(ids.length, 40)
  t.equal(new Set(ids).size, 40)
  t.equal((await deliveries(id)).filter(({ attempts }) => attempts === 1).length, 40)
})

test('kill -9 of the pod that sends: the other sends the same message again', async (t) => {
  await using stack = new AsyncDisposableStack()
  const pod = await killable(stack, 'sender')
  await pod.hook('stuck')
  receiver.answers.set('/stuck', [0])
  await pod.publish()
  await receiver.awaited('stuck')
  await pod.kill()
  await using _other = await secondPod({ ...own, app_redis__prefix: 'sender' })
  const [first, second] = await receiver.awaited('stuck', 2)
  t.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  t.equal(first?.body, second?.body)
  const { id, secret } = pod.made()
  t.equal(receiver.verified(second as never, secret).type, 'tos.publish')
  await until('the log', async () => {
    const [entry] = Object.values(await redis.hgetall(`sender:{webhook}:history:${id}`))
    return entry && JSON.parse(entry).status === 'delivered'
  })
})

test('kill -9 of the pod that made an event, before anybody looked for it: the other delivers it', async (t) => {
  await using stack = new AsyncDisposableStack()
  const pod = await killable(stack, 'maker')
  await pod.hook('heir')
  // Somebody else is reading, and stops without a word.
  await redis.set('maker:{audit}:reader', 'somebody', 'PX', 60_000)
  await pod.publish()
  await until('the event in Redis', async () =>
    JSON.stringify(await redis.xrevrange('maker:{audit}:stream', '+', '-', 'COUNT', 1)).includes(
      'tos.publish',
    ),
  )
  await pod.kill()
  await redis.pexpire('maker:{audit}:reader', 5000)
  t.equal(receiver.at('heir').length, 0)
  await using _other = await secondPod({ ...own, app_redis__prefix: 'maker' })
  const [message] = await receiver.awaited('heir')
  t.equal(receiver.verified(message as never, pod.made().secret).type, 'tos.publish')
})

/** A pod in a process of its own, alone under its prefix, and what it is asked for. */
async function killable(stack: AsyncDisposableStack, prefix: string) {
  const environment = await environmentOfPod({
    ...own,
    app_egress__timeout: '30000',
    app_redis__prefix: prefix,
    app_log__level: 'info',
  })
  const pod = await startPod(environment, stack, { joins: true })
  const { request, login } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
  const token = await login(service.admin.uid, service.admin.password)
  let made = { id: '', secret: '' }
  return {
    made: () => made,
    async hook(name: string) {
      const body = { name, url: `${receiver.url}/${name}`, events: ['tos.publish'] }
      const answer = await request<{ results: { id: string }; secret: string }>('POST', '/api/webhooks', {
        token,
        body,
      })
      made = { id: answer.body.results.id, secret: answer.body.secret }
    },
    async publish() {
      await request('PUT', '/api/tos', { token, body: { text: 'Terms of the killed' } })
    },
    async kill() {
      pod.process.kill('SIGKILL')
      await once(pod.process, 'exit')
    },
  }
}
