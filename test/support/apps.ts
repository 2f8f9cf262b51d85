import { readFile } from 'node:fs/promises'
import type { Section } from '../../portal/src/areas/clients/recipes.ts'
import { sectionsOf } from '../../portal/src/areas/clients/recipes.ts'

/** The applications of docs/apps.md, as the portal reads them. */
export async function documentedApps(): Promise<Section[]> {
  return sectionsOf(await appsPage())
}

export function appsPage(): Promise<string> {
  return readFile(new URL('../../docs/apps.md', import.meta.url), 'utf8')
}

/** The first block in this language that the page shows for an application. */
export async function documentedBlock(application: string, language: string): Promise<string> {
  const app = (await documentedApps()).find(({ name }) => name === application)
  const block = app?.blocks.find((each) => each.language === language)
  if (!block) throw new Error(`docs/apps.md shows no ${language} for ${application}`)
  return block.code
}
