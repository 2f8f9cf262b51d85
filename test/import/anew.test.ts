import tap, { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { startTestService } from '#test/support/service.ts'
import { sshKey } from '#test/support/ssh-keys.ts'
import { fileOf, importWith, personLdif } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { deps, newUser, request } = service
const { admin, ask, newResource, newGroup, newLink } = await directoryTools(service)
const base = 'dc=old,dc=example'

test('who is made under the name of somebody deleted stands so in the audit log, by an import and by an administrator', async (t) => {
  for (const uid of ['again', 'once-more']) {
    await newUser(admin, { uid })
    t.equal((await request('DELETE', `/api/user/${uid}`, { token: admin })).status, 200)
  }
  const file = await fileOf('people.ldif', [personLdif('again'), personLdif('never')].join(''))
  t.equal((await importWith(deps, ['--ldif', file, '--apply'])).code, 0)
  await newUser(admin, { uid: 'once-more', mail: 'once-more2@example.org' })
  await deps.audit.settled()
  for (const [uid, anew] of [
    ['again', true],
    ['once-more', true],
    ['never', undefined],
  ] as const) {
    const { events } = await deps.audit.page({ action: 'user.create', target: uid }, { limit: 1 })
    t.equal(events[0]?.detail?.anew, anew, uid)
  }
})

test('an import adds SSH keys and takes none away, and finds nothing to do the second time', async (t) => {
  const [own, brought] = [sshKey.ed25519('own'), sshKey.ed25519('brought')]
  const { uid } = await newUser(admin, { uid: 'keeper-of-keys', sshPublicKey: own })
  const person = personLdif(uid, [`sshPublicKey: ${brought}`])
  const file = await fileOf('keys.ldif', person)
  t.equal((await importWith(deps, ['--ldif', file, '--apply'])).code, 0)
  t.equal((await deps.users.find(uid))?.sshPublicKey, `${own}\n${brought}`)
  const again = await importWith(deps, ['--ldif', await fileOf('same.ldif', person)])
  t.match(again.text, /0 people to make, 0 to change/)
})

test('a group that an import makes has no link that another group of the name left behind', async (t) => {
  const cn = await newGroup()
  const { id } = await newResource('host')
  await newLink(id, cn)
  await deps.groups.remove(cn) // by another program
  const file = await fileOf(
    'groups.ldif',
    [
      personLdif('newcomer'),
      `dn: cn=${cn},ou=groups,${base}\nobjectClass: groupOfNames\ncn: ${cn}\n`,
      `member: uid=newcomer,ou=people,${base}\n`,
    ].join(''),
  )
  t.equal((await importWith(deps, ['--ldif', file, '--apply'])).code, 0)
  t.ok(await deps.groups.find(cn))
  const { body } = await ask<{ results: object[] }>('GET', `groups?resourceId=${id}`)
  t.same(body.results, [])
})
