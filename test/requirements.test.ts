import { readFile } from 'node:fs/promises'
import { test } from 'tap'

type Row = { from: string; rule: string; tests: string[] }

const root = new URL('../', import.meta.url)
const rows = JSON.parse(await readFile(new URL('test/requirements.json', root), 'utf8')) as Row[]
const sources = new Map<string, string>()

async function sourceOf(file: string): Promise<string> {
  const known = sources.get(file)
  if (known !== undefined) return known
  const source = await readFile(new URL(file, root), 'utf8').catch(() => '')
  sources.set(file, source)
  return source
}

test('every row of requirements.json names a test that stands in its file', async (t) => {
  t.ok(rows.length > 0)
  for (const { from, rule, tests } of rows) {
    t.ok(tests.length > 0, `${from}: ${rule} has a test`)
    for (const named of tests) {
      const [file = '', title = ''] = named.split(' # ')
      const source = await sourceOf(file)
      const quoted = ["'", '"', '`'].some((quote) =>
        source.includes(`${quote}${title.replaceAll("'", quote === "'" ? "\\'" : "'")}${quote}`),
      )
      t.ok(title !== '' && quoted, `${file} holds the test "${title}" of "${rule}"`)
    }
  }
})

test('no rule stands twice in requirements.json', (t) => {
  const names = rows.map(({ from, rule }) => `${from}: ${rule}`)
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  t.end()
})

test('every row says where it is from in one way', (t) => {
  const way = /^(interface: [A-Z].+|contract \d+: \S.*|attacks|issue \d+(\.\d+)?)$/
  t.same(
    rows.filter(({ from, rule }) => !way.test(from) || (from === 'attacks' && !/^\d+ /.test(rule))),
    [],
  )
  t.end()
})

test('every route of the API stands in a row', async (t) => {
  const { paths } = JSON.parse(await sourceOf('docs/openapi.json')) as { paths: Record<string, object> }
  const named = new Set(rows.flatMap(({ rule }) => routesIn(rule)))
  const missing = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .map((method) => `${method.toUpperCase()} ${plain(path)}`)
      .filter((route) => !named.has(route) && !named.has(route.replace(/^\S+/, 'ALL'))),
  )
  t.same(missing, [], 'add a row to test/requirements.json that begins with METHOD path')
})

/** The routes a rule speaks of, written as in the interface or as in OpenAPI. */
function routesIn(rule: string): string[] {
  const found = rule.matchAll(/\b(ALL|GET|POST|PUT|PATCH|DELETE) (\/[^\s?,;]*)/g)
  return [...found].map(([, method, path]) => `${method} ${plain((path as string).replace(/:$/, ''))}`)
}

/** `/api/user/:uid/` and `/api/user/{uid}` are one path. */
function plain(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/(?<=.)\/$/, '')
}
