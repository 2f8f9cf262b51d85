import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import tap, { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { startPod } from '#test/support/pod.ts'
import type { Said } from './support.ts'
import { startNotificationTests } from './support.ts'

/** `kill -9` in the middle of 100 recipients. Each pod sends from an address of its own, so that its mails are known. */
const { admin, environmentOfPod, newUser, people, request, secondPod, servers, smtp } =
  await startNotificationTests()
const all = await people(100, 'person')
const filter = { filter_type: 'users', filter_value: JSON.stringify(all.map(({ uid }) => uid)) }
const concurrency = 4
const killed = 'killed@pods.example.org'
const other = { ...smtp.settings, app_smtp__from: 'other@pods.example.org', app_smtp__timeout: '60000' }
const sender = await newUser()
await request('PUT', `/api/group/app_sso_admin/${sender.uid}`, { token: admin })
const redis = await servers.redis.open()
tap.teardown(() => redis.disconnect())

test('kill -9 with another pod alive, at the worst moment: each recipient has a mail, and a second one only who was taken by SMTP and not yet recorded', async (t) => {
  await using stack = new AsyncDisposableStack()
  await using _alive = await secondPod({ ...other, app_redis__prefix: 'pair' })
  const pod = await killable(stack, 'pair')
  smtp.behaviour.pause = 5
  // The pod that stays has to wait, or it might have told them all before the other has begun.
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  smtp.behaviour.held = (from) => (from === killed ? undefined : promise)
  const id = await pod.tell('One pod is killed')
  await until(() => mailsOf('One pod is killed', killed).length >= 15)
  // SMTP takes and says nothing: as many recipients as the pod serves at once are taken and not recorded.
  smtp.behaviour.silent = (from) => from === killed
  const answered = mailsOf('One pod is killed', killed).length
  await until(() => mailsOf('One pod is killed', killed).length === answered + concurrency)
  goOn()
  const open = await killAndRead(pod, { id, prefix: 'pair', subject: 'One pod is killed' })
  t.equal(open.length, concurrency)
  await completed(id, 'pair')
  onlyOpenOnesTwice(t, 'One pod is killed', open)
})

test('kill -9 with no other pod alive: the next one loses nobody, and only who was taken by SMTP and not yet recorded has two mails', async (t) => {
  await using stack = new AsyncDisposableStack()
  const pod = await killable(stack, 'single')
  smtp.behaviour.pause = 20
  const id = await pod.tell('Every pod is killed')
  await until(() => mailsOf('Every pod is killed', killed).length >= 30)
  const open = await killAndRead(pod, { id, prefix: 'single', subject: 'Every pod is killed' })
  t.ok(open.length <= concurrency, `${open.length} of at most ${concurrency}`)
  t.ok(mailsOf('Every pod is killed').length < 100, 'it was killed in the middle')
  await using _next = await secondPod({ ...other, app_redis__prefix: 'single' })
  await completed(id, 'single')
  onlyOpenOnesTwice(t, 'Every pod is killed', open)
})

/** A pod in a process of its own, and a blast that its own API is asked for. */
async function killable(stack: AsyncDisposableStack, prefix: string) {
  smtp.behaviour.silent = () => false
  const environment = await environmentOfPod({
    ...smtp.settings,
    ...{ app_smtp__from: killed, app_redis__prefix: prefix, app_log__level: 'info' },
    app_delivery__concurrency: String(concurrency),
  })
  const pod = await startPod(environment, stack, { joins: true })
  const { request, login } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
  const token = await login(sender.uid, sender.password)
  return {
    process: pod.process,
    async tell(subject: string): Promise<string> {
      const body = { subject, message: '<p>x</p>', ...filter }
      const told = await request<Said>('POST', '/api/notification', { token, body })
      return told.body.results.notification_id
    },
  }
}

type Killable = Awaited<ReturnType<typeof killable>>
type Blast = { id: string; prefix: string; subject: string }

/** Kills the pod; answers to whom it had written without Redis knowing of it. */
async function killAndRead(pod: Killable, { id, prefix, subject }: Blast): Promise<string[]> {
  pod.process.kill('SIGKILL')
  await once(pod.process, 'exit')
  const outcomes = await redis.hgetall(`${prefix}:{notification}:to:${id}`)
  await until(() => !smtp.hears(killed)) // what lay in the socket is taken
  return mailsOf(subject, killed)
    .map(({ to }) => to)
    .filter((to) => outcomes[to.replace('@example.org', '')] !== 'sent')
}

function mailsOf(subject: string, from?: string) {
  return smtp.taken.filter(
    (mail) => mail.raw.includes(`Subject: ${subject}\r\n`) && (from === undefined || mail.from === from),
  )
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(5)
}

/** Waits for the record; a dead pod's jobs are taken over when its locks have run out. */
async function completed(id: string, prefix: string): Promise<void> {
  const key = `${prefix}:{notification}:record:${id}`
  while (!(await redis.hget(key, 'sent_at'))) await setTimeout(100)
}

function onlyOpenOnesTwice(t: Test, subject: string, open: string[]): void {
  const mails = mailsOf(subject)
  const to = (address: string) => mails.filter((mail) => mail.to === address)
  t.same(
    all.filter(({ mail }) => to(mail).length === 0),
    [],
    'nobody is lost',
  )
  const twice = all.map(({ mail }) => mail).filter((mail) => to(mail).length > 1)
  t.same(
    twice.sort(),
    open.sort(),
    'two mails are for those whose acceptance was not recorded, and only for them',
  )
  for (const address of twice) {
    const both = to(address)
    t.equal(both.length, 2, address)
    t.equal(new Set(both.map(messageId)).size, 1, `one Message-ID for both mails to ${address}`)
  }
  t.equal(new Set(mails.map(messageId)).size, all.length, 'and another for everybody else')
}

function messageId({ raw }: { raw: string }): string {
  return /^Message-ID:\s+(<\S+>)\r$/im.exec(raw)?.[1] ?? ''
}
