import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { syncOids } from '#adapters/ldap/sync/messages.ts'
import { openOn, person, startTestDirectory } from './support.ts'

const { users, groups, ldap, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())

/** Stands before slapd; while it holds, answers to the connection that synchronizes are kept back. */
let holding = false
const kept: [Socket, Buffer][] = []
const between = createServer((near) => {
  const far = connect(Number(new URL(ldap.url).port), '127.0.0.1')
  let synchronizes = false
  near.on('data', (chunk) => {
    synchronizes ||= chunk.includes(syncOids.request)
    far.write(chunk)
  })
  far.on('data', (chunk) => {
    if (!holding || !synchronizes) return near.write(chunk)
    kept.push([near, chunk])
    between.emit('kept')
  })
  near.on('close', () => far.destroy())
  for (const socket of [near, far]) socket.on('error', () => {})
})
between.listen(0, '127.0.0.1')
await once(between, 'listening')
t.teardown(() => between.close())
const { port } = between.address() as { port: number }
function release() {
  holding = false
  for (const [near, chunk] of kept.splice(0)) near.write(chunk)
}

const directory = await openOn({ ...ldap, url: `ldap://127.0.0.1:${port}` }, { timeout: '30000' })
t.teardown(() => directory[Symbol.asyncDispose]())
const { dn } = await users.create(person())
const found = async () => (await directory.groups.effectiveGroupsOf(dn)).map(({ cn }) => cn).sort()
for (let tries = 0; !directory.graphIsLive && tries < 400; tries++) {
  await found()
  await pause(25)
}

t.test('whoever asks while an answer is on its way gets one of their own', async (t) => {
  holding = true
  const early = found()
  await once(between, 'kept')
  await groups.create({ cn: 'first', member: dn, owner: dn })
  const late = found()
  release()
  t.same(await late, ['first'])
  await early
})

t.test('while the feed alone is silent searches answer, long before it is given up', async (t) => {
  holding = true
  await groups.create({ cn: 'meanwhile', member: dn, owner: dn })
  for (let n = 0; n < 3; n++) t.same(await found(), ['first', 'meanwhile'])
  t.ok(directory.graphIsLive, 'it is waited for still')
  release()
  await groups.remove('first')
  t.same(await found(), ['meanwhile'])
})
