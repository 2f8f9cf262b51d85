import { readFile } from 'node:fs/promises'
import { test } from 'tap'
import { configurationDocument, errorsDocument, openapiDocument } from '../docs/generate.ts'

const stored = (name: string) => readFile(new URL(`../docs/${name}`, import.meta.url), 'utf8')

test('docs/configuration.md is what the settings say', async (t) => {
  t.equal(await stored('configuration.md'), configurationDocument(), 'run npm run docs')
})

test('docs/errors.md is what the table of refusals says', async (t) => {
  t.equal(await stored('errors.md'), errorsDocument(), 'run npm run docs')
})

test('docs/openapi.json is what the routes say', async (t) => {
  t.equal(await stored('openapi.json'), await openapiDocument(), 'run npm run docs')
})
