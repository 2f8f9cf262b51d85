import type { Reached } from './queries.ts'

type Search = { q?: string | undefined; kind?: string | undefined }
type App = Pick<Reached, 'name' | 'slug' | 'description' | 'kind' | 'metadata'>

/** What an address asks for, of these. */
export function found<A extends App>(apps: readonly A[], { q = '', kind }: Search): A[] {
  const words = fold(q).split(/\s+/).filter(Boolean)
  return apps.filter((app) => {
    if (kind && app.kind !== kind) return false
    const { name, slug, description, metadata } = app
    const all = fold(`${name} ${slug} ${description} ${metadata.tagline ?? ''}`)
    return words.every((word) => all.includes(word))
  })
}

export function byName(a: Pick<App, 'name'>, b: Pick<App, 'name'>): number {
  return a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: 'base' })
}

/** Where a browser can go; addresses of hosts are names, which it cannot open. */
export function hrefOf({ address }: { address?: string | undefined }): string | undefined {
  if (!address) return undefined
  if (/^https?:\/\//i.test(address)) return URL.canParse(address) ? address : undefined
  return undefined
}

/** Without accents and case, so that "zoe" finds "Zoë". */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
