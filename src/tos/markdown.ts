import type { Terms } from '#adapters/redis/terms.ts'

let renderer: Promise<(text: string) => string> | undefined
let latest: { version: number; html: Promise<string> } | undefined

/** The terms as HTML; the version shown last is kept. The library is loaded when there is something to show. */
export function termsHtml({ version, text }: Pick<Terms, 'version' | 'text'>): Promise<string> {
  if (latest?.version === version) return latest.html
  const html = renderTerms(text)
  latest = { version, html }
  return html
}

/** Any text as the terms are rendered. */
export async function renderTerms(text: string): Promise<string> {
  renderer ??= openRenderer()
  return (await renderer)(text)
}

/**
 * CommonMark with tables and bare links. HTML in it is shown as it was typed and links go to web and mail addresses only
 * (markdown-it, “Security”); pictures would be loaded from elsewhere, and what plain text indents is no code. The page
 * has a heading of its own, so those of the text come one level lower.
 */
async function openRenderer(): Promise<(text: string) => string> {
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = new MarkdownIt({ html: false, linkify: true }).disable(['image', 'code'])
  markdown.core.ruler.push('lower headings', ({ tokens }) => {
    for (const token of tokens)
      if (token.type.startsWith('heading_')) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`
  })
  return (text) => markdown.render(text)
}
