import { glob, readFile } from 'node:fs/promises'
import { test } from 'tap'
import { declared } from '#src/conf/service.ts'
import { startTestService } from '#test/support/service.ts'
import settings from '../../portal/src/areas/configuration/settings.de.json' with { type: 'json' }
import german from '../../portal/src/i18n/de/refused.json' with { type: 'json' }
import english from '../../portal/src/i18n/en/refused.json' with { type: 'json' }
import { readRefusal } from '../../portal/src/parts/refused.ts'

await test('every declared setting has a German text, and there is no other', (t) => {
  t.strictSame(Object.keys(settings).sort(), declared.map(({ path }) => path).sort())
  for (const { path, description } of declared) {
    const text = (settings as Record<string, string>)[path] ?? ''
    t.match(text, /^\S.*\.$/, path)
    t.not(text, description, `${path} is not translated`)
  }
  t.end()
})

await test('the sentence of each rule of a schema, as the service says it, is known by its field', async (t) => {
  await using service = await startTestService({ app_onboarding__needs: '' })
  const token = await service.login(service.admin.uid, service.admin.password)
  const hook = { name: 'x', url: 'https://a.example', events: ['*'] }
  const named = { name: 'x', scope: 'read', expires_in_days: 1 }
  const bad: [path: string, body: object, key: string, field: string][] = [
    ['/api/group/', {}, 'required', 'name'],
    ['/api/group/', { name: 'x', colour: 1 }, 'unknown', 'colour'],
    ['/api/group/', { name: '' }, 'tooShort', 'name'],
    ['/api/group/', { name: 'x', description: 'x'.repeat(1025) }, 'tooLong', 'description'],
    ['/api/group/', { name: 7 }, 'kind', 'name'],
    ['/api/group/', { name: '-x' }, 'groupName', ''],
    ['/api/webhooks/', { ...hook, events: [] }, 'tooFew', 'events'],
    ['/api/webhooks/', { ...hook, events: ['*', '*'] }, 'twice', 'events'],
    [
      '/api/webhooks/',
      { ...hook, events: Array.from({ length: 51 }, (_, n) => `a.b${n}`) },
      'tooMany',
      'events',
    ],
    ['/api/webhooks/', { ...hook, events: ['?'] }, 'form', 'events.0'],
    ['/api/webhooks/', { ...hook, url: 'gopher://x' }, 'hookUrl', ''],
    ['/api/api-token/', { ...named, scope: 'all' }, 'choice', 'scope'],
    ['/api/api-token/', { ...named, expires_in_days: 0 }, 'least', 'expires_in_days'],
    ['/api/api-token/', { ...named, expires_in_days: 999 }, 'most', 'expires_in_days'],
    ['/api/api-token/', { ...named, expires_in_days: 1.5 }, 'whole', 'expires_in_days'],
    ['/api/conf/', { smtp: { port: 'x' } }, 'whole', 'smtp.port'],
    ['/api/conf/', { smtp: { colour: 'x' } }, 'unknown', 'smtp.colour'],
    ['/api/conf/', { ldap: { base: 'dc=x' } }, 'environment', 'ldap.base'],
  ]
  for (const [path, body, key, field] of bad) {
    const { status, body: said } = await service.request('POST', path, { token, body })
    t.equal(status, 400)
    const refusal = readRefusal(String(said.message))
    t.match(refusal, { key, values: field ? { field } : {} }, String(said.message))
  }
})

/** What no form of the portal sends: parameters of lists, what pages and programs ask. */
const toPrograms = [
  /^cursor /,
  /^order needs a limit/,
  /^A parameter stands/,
  /^Nothing is asked here/,
  /^The application is no longer registered/,
  /^The path is not valid/,
  /^At most/,
  /^The CSV must be/,
  /^Nothing was written/,
  /^mail is not the address that this invite is for/,
  /^name is missing/,
]
/** Said by another part: a library, or one whose own sentences are looked at below. */
const passedOn = /^(x1\.?|x1:? x1\.?|metadata\.x1: x1\.)$/

async function redirectUriFaults(): Promise<string[]> {
  const source = await readFile('src/oauth/redirect-uri.ts', 'utf8')
  return [...source.matchAll(/'((?:must|may) .*?)'/g)].map(([, fault = '']) => fault)
}

await test('every sentence by which the service refuses a value or meets a conflict has words in the portal', async (t) => {
  const heard = new Set<string>()
  for await (const file of glob('{src,adapters}/**/*.ts')) {
    const source = await readFile(file, 'utf8')
    for (const [, , said = ''] of source.matchAll(
      /new Refusal\(\s*'(?:InvalidInput|Conflict)',\s*(['`])(.*?)\1,?\s*[),]/gs,
    ))
      heard.add(said)
    for (const [, field, why] of source.matchAll(/\bwrong\('?(\w+)'?, '(.*?)'\)/g))
      heard.add(`${field} ${why}.`)
  }
  const faults = await redirectUriFaults()
  t.ok(faults.length > 15, 'the faults of redirect URIs were found')
  for (const fault of faults) heard.add(`redirect_uris: "x1" ${fault}.`)
  const ofMetadata = await readFile('src/directory/metadata.ts', 'utf8')
  for (const [, key = '', fault] of ofMetadata.matchAll(/\brefuse\((key|'\w+'), '(.*?)'\)/g))
    heard.add(`metadata.${key === 'key' ? 'x1' : key.slice(1, -1)}: ${fault}.`)
  t.ok(heard.size > 60, 'they were found')
  for (const template of heard) {
    const said = template
      .replace(/\$\{.*?\}(?!\})/g, 'x1')
      .replaceAll(/x1(?= (?:tokens|of|matches|seconds))/g, '7')
    if (passedOn.test(said) || toPrograms.some((pattern) => pattern.test(said))) continue
    t.ok(readRefusal(said), said)
  }
  for (const texts of [english, german])
    for (const [key, text] of Object.entries(texts.said)) t.match(text, /\S\.$/, key)
})
