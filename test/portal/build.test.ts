import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { ingredients, isStale } from '../../portal/build.ts'
import { apiTypes, writtenTypes } from '../../portal/types.ts'

const portal = new URL('../../portal/', import.meta.url).pathname
type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] }
const manifest: Record<string, Chunk> = JSON.parse(await readFile(join(portal, 'dist/manifest.json'), 'utf8'))

/** A chunk and all that it cannot do without. */
function needed(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`nothing was built of ${name}`)
  if (seen.has(name)) return seen
  seen.add(name)
  for (const other of chunk.imports ?? []) needed(other, seen)
  return seen
}

async function compressedSize(names: Iterable<string>, as: 'br' | 'gz'): Promise<number> {
  const files = [...new Set([...names].map((name) => manifest[name]?.file ?? ''))].filter((file) =>
    /\.js$/.test(file),
  )
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(portal, 'dist', `${file}.${as}`))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const firstView = ['index.html', 'src/areas/apps/MyApps.tsx', 'src/i18n/de/app.json', 'src/i18n/de/apps.json']

test('what is built is what the sources make', async (t) => {
  t.notOk(await isStale(), 'npm run build')
})

test('the image copies what the portal is made of, from a context that leaves none of it out', async (t) => {
  const project = join(portal, '..')
  const [stage = ''] = (await readFile(join(project, 'Dockerfile'), 'utf8')).split(/^RUN npm run build/m)
  const context = (await readFile(join(project, '.dockerignore'), 'utf8')).split('\n')
  const copied = [...stage.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '))
  t.ok(copied.includes('portal'))
  for (const path of ingredients) {
    t.ok(
      copied.some((source) => `${path}/`.startsWith(`${source}/`)),
      path,
    )
    t.ok(
      context.some((kept) => kept.startsWith('!') && `${path}/`.startsWith(`${kept.slice(1)}/`)),
      path,
    )
  }
})

test('the first view, My apps, needs at most 220 KB of compressed script', async (t) => {
  const names = new Set(firstView.flatMap((name) => [...needed(name)]))
  const [br, gz] = await Promise.all([compressedSize(names, 'br'), compressedSize(names, 'gz')])
  t.comment(`${br} bytes by Brotli, ${gz} by gzip`)
  t.ok(gz <= 220 * 1024, `${gz} bytes`)
})

test('every other screen loads when it is opened', async (t) => {
  const screens = Object.keys(manifest).filter((name) => /^src\/areas\/.*\.tsx$/.test(name))
  const first = needed('index.html')
  t.ok(screens.length > 2)
  t.same(
    screens.filter((screen) => first.has(screen)),
    [],
  )
})

test('the client’s types are those of the API document', async (t) => {
  t.ok((await apiTypes()) === (await writtenTypes()), 'npm run check makes them')
})

test('English and German have the same texts, with the same blanks to fill in', async (t) => {
  const folder = join(portal, 'src/i18n')
  const areas = (await readdir(join(folder, 'en'))).sort()
  t.same((await readdir(join(folder, 'de'))).sort(), areas)
  for (const area of areas) {
    const [en, de] = await Promise.all(['en', 'de'].map((language) => textsOf(join(folder, language, area))))
    t.same(de, en, area)
  }
})

/** Each text by its path, as the names of what is filled in. */
async function textsOf(file: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'string') {
      for (const [key, value] of Object.entries(node as object)) walk(value, `${path}.${key}`)
      return
    }
    if (node.trim() === '') throw new Error(`${file}${path} says nothing`)
    found[path] = [...new Set(node.match(/\{\{\w+\}\}/g))].sort()
  }
  walk(JSON.parse(await readFile(file, 'utf8')), '')
  return Object.fromEntries(Object.entries(found).sort())
}
