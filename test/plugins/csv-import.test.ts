import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import tap, { test } from 'tap'
import { startPluginTests } from './support.ts'

type Answer = { success: boolean; message: string; log: string }
type Person = { uid: string; givenName: string; sn: string; mail: string; isActive: boolean }
const { ask, request, adminToken, newUser, deps } = await startPluginTests()

let answer: { status: number; body: string } = { status: 200, body: '' }
const asked: (string | undefined)[] = []
const source = createServer((incoming, response) => {
  asked.push(incoming.headers.authorization)
  response.writeHead(answer.status, { 'content-type': 'text/csv' }).end(answer.body)
})
await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/people.csv`
tap.teardown(() => {
  source.closeAllConnections()
  source.close()
})

const csv = (...lines: string[]) => {
  answer = { status: 200, body: `${lines.join('\r\n')}\r\n` }
}
async function instance(name: string, config: object = {}) {
  const { body, text } = await ask('POST', '', {
    pluginType: 'sync/csv-import',
    name,
    config: { url, ...config },
  })
  const { id } = body.results
  if (!id) throw new Error(text)
  return { id, look: async () => (await ask<Answer>('POST', `/${id}/test`)).body }
}
const person = async (uid: string) => {
  const { status, body } = await request<{ results: Person }>('GET', `/api/user/${uid}`, {
    token: adminToken,
  })
  return status === 200 ? body.results : undefined
}

test('sync/csv-import makes the people who are missing by the rules of the API, and nothing a second time', async (t) => {
  const { id, look } = await instance('rows')
  await ask('PUT', `/${id}/secrets`, { authorization: 'Basic Y3N2' })
  csv(
    'uid,givenName,sn,mail',
    'ada,Ada,"Lovelace, Countess",ada@example.org',
    'Not A Uid,X,Y,x@example.org',
    'zoe,Zoë,Łódź,zoe@example.org',
    'twin,T,W,ada@example.org',
    'short,row',
  )
  const first = await look()
  t.match(first, { success: false, message: /3 were refused/, log: /made ada\nmade zoe\n/ })
  t.match(first.log, /refused line 3 .*: uid must/)
  t.match(first.log, /refused line 5 .*: mail belongs to ada/)
  t.match(first.log, /refused line 6: row /)
  t.equal(asked.at(-1), 'Basic Y3N2')
  t.match(await person('ada'), { sn: 'Lovelace, Countess', mail: 'ada@example.org', isActive: true })
  csv('uid,givenName,sn,mail', 'ada,Ada,"Lovelace, Countess",ada@example.org', 'zoe,Zoë,Łódź,zoe@example.org')
  t.match(await look(), { success: true, log: /^2 people read, 0 to make or change, 0 refused\n$/ })
  await deps.audit.settled()
  const events = (await deps.audit.read({ limit: 10_000 })).filter(({ actor }) => actor === `plugin:${id}`)
  t.match(events, [
    { action: 'user.create', target: 'ada' },
    { action: 'user.create', target: 'zoe' },
  ])
})

test('sync/csv-import leaves who is there as they are unless existing says update, and deletes nobody', async (t) => {
  const one = await newUser(adminToken)
  const other = await newUser(adminToken)
  csv('uid,givenName,mail,isActive', `${one.uid},Changed,new-${one.mail},false`)
  const keeping = await instance('keeping')
  t.match(await keeping.look(), { success: true, log: /0 to make or change/ })
  t.match(await person(one.uid), { givenName: 'Given', mail: one.mail, isActive: true })
  const updating = await instance('updating', { existing: 'update' })
  t.match(await updating.look(), { success: true, log: new RegExp(`changed ${one.uid}`) })
  t.match(await person(one.uid), {
    givenName: 'Changed',
    sn: 'Family',
    mail: `new-${one.mail}`,
    isActive: false,
  })
  t.match(await person(other.uid), { givenName: 'Given' })
})

test('sync/csv-import gives nobody a group or a password', async (t) => {
  const { look } = await instance('powers')
  csv(
    'uid,givenName,sn,mail,groups,password_hash',
    'mallory,M,M,mallory@example.org,app_sso_admin;newgroup,{CLEARTEXT}let me in please',
  )
  t.match(await look(), { success: true, log: /made mallory/ })
  const { body } = await request<{ results: unknown }>('GET', '/api/group/newgroup', { token: adminToken })
  t.notOk(body.results)
  const members = await request('GET', '/api/group/app_sso_admin', { token: adminToken })
  t.equal(members.status, 200)
  t.notMatch(members.text, /mallory/)
  const login = await request('POST', '/api/auth/login', {
    body: { uid: 'mallory', password: 'let me in please' },
  })
  t.equal(login.status, 401)
})

test('sync/csv-import changes nothing when the source fails, is no such CSV or is too large', async (t) => {
  const { look } = await instance('failing')
  answer = { status: 404, body: 'uid,givenName,sn,mail\nx,X,X,x1@example.org\n' }
  t.match(await look(), { success: false, message: /answered 404/ })
  for (const body of ['<html>no</html>\n', 'uid,shoe\nx,1\n', '']) {
    answer = { status: 200, body }
    t.match(await look(), { success: false, log: /header/ })
  }
  csv('uid,givenName,sn,mail', 'x,X,X,x1@example.org', `# ${'x'.repeat(5 * 2 ** 20)}`)
  t.match(await look(), { success: false, message: /does not answer/ })
  t.equal(await person('x'), undefined)
})

test('sync/csv-import takes hundreds a few at a time', async (t) => {
  const { look } = await instance('hundreds')
  csv(
    'uid,givenName,sn,mail',
    ...Array.from({ length: 320 }, (_, n) => `bulk${n},B,${n},bulk${n}@example.org`),
  )
  t.match(await look(), { success: true, log: /^320 people read, 320 to make or change, 0 refused/ })
  t.match(await person('bulk319'), { sn: '319' })
})
