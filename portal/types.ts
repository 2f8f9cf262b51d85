import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const file = join(import.meta.dirname, 'generated/api.d.ts')
const document = join(import.meta.dirname, '../docs/openapi.json')

/** Types of every route and answer of the API document, for the portal's client. */
export async function apiTypes(): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const described = JSON.parse(await readFile(document, 'utf8'))
  return astToString(await openapiTS(described, { alphabetize: true }))
}

/** What `npm run check` checks the portal with. */
export function writtenTypes(): Promise<string> {
  return readFile(file, 'utf8')
}

/** Makes them anew from the document that the service's own tests hold true; whole or not at all, for two at a time. */
export async function writeTypes(): Promise<void> {
  const types = await apiTypes()
  if (types === (await writtenTypes().catch(() => undefined))) return
  const part = `${file}.${process.pid}`
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(part, types)
  await rename(part, file)
}

/** Before every check. */
if (import.meta.main) await writeTypes()
