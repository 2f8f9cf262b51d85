import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Attribute, Client } from 'ldapts'
import tap, { test } from 'tap'
import { writeBackup } from '#src/backup/file.ts'
import { readConfig } from '#src/config.ts'
import { startService } from '#src/main.ts'
import { groupTools } from '#test/group/support.ts'
import { clientOf } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'
import { empty, isUntouched, lightened, ofService, passphrase, restored, run } from './support.ts'

const folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'))
const service = await startTestService({
  app_seal__key: 'a key of the tests for what outlives a secret 0123456789',
})
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
const { admin, newGroup, ask } = await groupTools(service)
const ada = await service.newUser(admin, { uid: 'ada' })
await ask('PUT', `${await newGroup('inner')}/ada`)
const file = join(folder, 'all.age')
const env = await service.environmentOfPod()
await run('backup', env, file)
const light = join(folder, 'light.age')
await lightened(file, light)

test('a wrong passphrase and a changed, cut or lengthened file are refused before anything is written', async (t) => {
  await using target = await empty(env)
  const bytes = await readFile(light)
  const flipped = Buffer.from(bytes)
  flipped[bytes.length - 100] = (flipped[bytes.length - 100] as number) ^ 1
  const broken = {
    flipped,
    cut: bytes.subarray(0, bytes.length - 300),
    short: bytes.subarray(0, 60),
    longer: Buffer.concat([bytes, Buffer.from('more')]),
    other: Buffer.from('dn: dc=example,dc=org\n'),
  }
  for (const [name, content] of Object.entries(broken)) {
    const path = join(folder, `${name}.age`)
    await writeFile(path, content)
    t.match(
      await restored(target.env, path),
      { code: 1, said: /(changed or cut|cannot be opened).*\nNothing was written/ },
      name,
    )
  }
  t.match(await run('restore', { ...target.env, BACKUP_PASSPHRASE: `${passphrase}?` }, file), {
    code: 1,
    said: /the passphrase is another one.*\nNothing was written/,
  })
  t.ok(await isUntouched(target))
})

test('a backup that fails on its way leaves no file', async (t) => {
  const path = join(folder, 'failed.age')
  async function* lines() {
    yield { some: 'line' }
    throw new Error('the directory is away')
  }
  await t.rejects(writeBackup(path, passphrase, lines()), { message: /directory is away/ })
  t.notOk((await readdir(folder)).includes('failed.age'))
})

test('a restore demands the seal key, the signing secret, the base and the prefix of the backup', async (t) => {
  await using target = await empty(env)
  const other = 'another secret of 32 characters or more'
  const refused: [Record<string, string>, RegExp][] = [
    [{ app_seal__key: other }, /app_seal__key is not the one/],
    [{ app_seal__key: '' }, /app_seal__key is not set/],
    [{ app_oauth__jwtSecret: other }, /JWT_SECRET is not the one.*signing keys/],
    [{ app_ldap__base: 'dc=other,dc=org' }, /is of the directory dc=example,dc=org/],
    [{ app_redis__prefix: 'other' }, /is of the Redis prefix latchkey/],
  ]
  for (const [differently, said] of refused) {
    const answer = await restored({ ...target.env, ...differently }, light)
    t.match(answer, { code: 1, said })
    t.match(answer.said, /Nothing was written/)
  }
  t.ok(await isUntouched(target))
})

test('a restore goes into empty servers alone, by somebody who may manage the directory', async (t) => {
  await using target = await empty(env)
  const { RESTORE_LDAP_URL: _, ...asService } = target.env
  t.match(await restored(asService, light), { code: 1, said: /no manage right.*\nNothing was written/ })
  t.match(await restored({ ...asService, RESTORE_LDAP_PASSWORD: 'wrong' }, light), {
    code: 1,
    said: /does not let cn=latchkey.* in.*\nNothing was written/,
  })
  t.ok(await isUntouched(target))
  const there = { ...target.env, ...service.servers.redis.settings }
  t.match(await restored(there, light), {
    code: 1,
    said: /1 pods of the service run.*\nNothing was written/,
  })
  await using records = await target.redis.open()
  await records.set('latchkey:{terms}', 'x')
  t.match(await restored(target.env, light), {
    code: 1,
    said: /Redis has records.*\nNothing was written/,
  })
  const people = {
    ...target.env,
    RESTORE_LDAP_URL: service.servers.ldap.url,
    RESTORE_LDAP_BIND_DN: service.servers.ldap.bindDN,
    RESTORE_LDAP_PASSWORD: service.servers.ldap.bindPassword,
  }
  t.match(await restored(people, light), { code: 1, said: /people or groups.*\nNothing was written/ })
})

test('a restore that stops half-way says where, lets no pod start, and goes on when it is run again', async (t) => {
  await using target = await empty(env)
  const { ldap } = target
  const dn = `cn=inner,ou=groups,${ldap.base}`
  const client = new Client({ url: ldap.url })
  await client.bind(ldap.bindDN, ldap.bindPassword)
  const attributes = { objectClass: 'organizationalRole', cn: 'inner' }
  await client.add(
    dn,
    Object.entries(attributes).map(([type, value]) => new Attribute({ type, values: [value] })),
  )
  t.match(await run('restore', target.env, file), {
    code: 1,
    said: /cn=inner,ou=groups,dc=example,dc=org: another one of this name.*\nThe restore is not complete/,
  })
  const unfinished = /The restore of backup \S+ was begun here and has not ended: run npm run restore/
  await t.rejects(startService(readConfig(ofService(target.env))), { message: unfinished })
  for (const program of ['backup', 'verify', 'reseal'] as const)
    t.match(await run(program, ofService(target.env), join(folder, 'half.age')), {
      code: 1,
      said: unfinished,
    })
  const other = join(folder, 'other-restore.age')
  t.match(await run('backup', env, other), { code: 0 })
  t.match(await restored(target.env, other), {
    code: 1,
    said: /of another backup was begun.*\nNothing/,
  })
  await client.del(dn)
  await client.unbind()
  t.match(await restored(target.env, light), { code: 0, said: /are back/ })
  await using pod = await startService(readConfig(ofService(target.env)))
  t.match(await clientOf(pod.url).login('ada', ada.password), /./)
  t.match(await pod.deps.groups.find('inner'), { cn: 'inner' })
})
