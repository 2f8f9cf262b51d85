import { readFile } from 'node:fs/promises'

/** A section of docs/apps.md: an application, and the blocks of code in it by language. */
export type App = { name: string; text: string; blocks: { language: string; code: string }[] }

export async function documentedApps(): Promise<App[]> {
  const page = await readFile(new URL('../../docs/apps.md', import.meta.url), 'utf8')
  const sections = page.split(/^## /m).slice(2)
  return sections.map((section) => {
    const [name = '', ...lines] = section.split('\n')
    const text = lines.join('\n')
    const found = text.matchAll(/^```(\w+)\n(.*?)^```$/gms)
    return { name, text, blocks: [...found].map(([, language = '', code = '']) => ({ language, code })) }
  })
}

/** The first block in this language that the page shows for an application. */
export async function documentedBlock(application: string, language: string): Promise<string> {
  const app = (await documentedApps()).find(({ name }) => name === application)
  const block = app?.blocks.find((each) => each.language === language)
  if (!block) throw new Error(`docs/apps.md shows no ${language} for ${application}`)
  return block.code
}
