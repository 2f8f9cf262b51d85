/**
 * Applications that people connect often, as docs/apps.md shows them: that page is the one place where their
 * registrations and their own settings stand. This reads it, and puts somebody's own addresses and ids in the places of
 * its examples.
 */

/** A section of the page: an application, and the blocks of code in it. */
export type Section = { name: string; text: string; blocks: Block[] }
/** `file` is the name of the file that it goes into, where the page says one. */
export type Block = { language: string; code: string; file?: string }

export type Recipe = {
  id: string
  name: string
  /** The address that the page uses for the application; none for a program on people's own machines. */
  base?: string
  /** What is sent to `POST /api/oauth/client/`, with the page's addresses, and without its groups. */
  fields: Registration
  blocks: Block[]
  /** Fields of the application's own form, and what goes into each. */
  form: { field: string; value: string }[]
  /** How the page calls the id of this client. */
  idPlaceholder: string
}
export type Registration = {
  name: string
  redirect_uris: string[]
  post_logout_redirect_uris?: string[]
  backchannel_logout_uri?: string
  groups_claim?: 'all' | 'allowed' | string[]
  groups_in_id_token?: boolean
  token_lifetime?: { access_token?: number; refresh_token?: number }
  require_pkce?: boolean
  skip_consent?: boolean
  public?: boolean
}

export function sectionsOf(page: string): Section[] {
  return page
    .split(/^## /m)
    .slice(2)
    .map((section) => {
      const [name = '', ...lines] = section.split('\n')
      const text = lines.join('\n')
      const found = [...text.matchAll(/(?:^`([^`\n]+)`[^\n]*:\n\n)?^```(\w+)\n(.*?)^```$/gms)]
      const blocks = found.map(([, file, language = '', code = '']) => ({
        ...{ language, code },
        ...(file ? { file } : {}),
      }))
      return { name, text, blocks }
    })
}

/** One for each registration that the page shows. */
export function recipesOf(page: string): Recipe[] {
  return sectionsOf(page).flatMap(({ name: application, text, blocks }) => {
    const registrations = blocks
      .filter(({ language }) => language === 'json')
      .map(({ code }) => JSON.parse(code) as Registration & { allowed_groups?: string[] })
    const settings = blocks.filter(({ language }) => language !== 'json')
    return registrations.map(({ allowed_groups: _, ...fields }) => {
      const name = registrations.length > 1 ? fields.name : application
      const base = fields.redirect_uris.find((uri) => !isLoopback(uri))
      const others = [...text.matchAll(/<client_id of the ([^>]+)>/g)]
      const own = others.find(([, words = '']) => fields.name.endsWith(words))
      return {
        id: name
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, ''),
        ...{ name, fields, blocks: settings, form: formIn(text) },
        ...(base ? { base: new URL(base).origin } : {}),
        idPlaceholder: own?.[0] ?? '<client_id>',
      }
    })
  })
}

/** The registration for an application at `base`. What the page shows at further hosts of its own is left out. */
export function registrationAt({ fields, base: from }: Recipe, base: string): Registration {
  if (from === undefined) return fields
  const moved = (uris: string[]) =>
    uris
      .filter((uri) => isLoopback(uri) || uri.startsWith(from))
      .map((uri) => (uri.startsWith(from) ? base + uri.slice(from.length) : uri))
  const { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri, ...rest } = fields
  return {
    ...rest,
    redirect_uris: moved(redirect_uris),
    ...(post_logout_redirect_uris
      ? { post_logout_redirect_uris: [...new Set(moved(post_logout_redirect_uris))] }
      : {}),
    ...(backchannel_logout_uri
      ? { backchannel_logout_uri: base + backchannel_logout_uri.slice(from.length) }
      : {}),
  }
}

export type Given = { issuer: string; client_id: string; client_secret?: string; base?: string }

/** A text of the page with what it calls issuer, client and application replaced by the real ones. */
export function filledIn(text: string, recipe: Recipe, given: Given): string {
  const { issuer, client_id, client_secret, base } = given
  const spelled = (from: string, to: string) =>
    [plain, encodeURIComponent, twice].map((spell): [string, string] => [spell(from), spell(to)])
  const places = new Map([
    ...spelled(exampleIssuer, issuer),
    ...(recipe.base && base ? spelled(recipe.base, base) : []),
    [new URL(exampleIssuer).host, new URL(issuer).host],
    [recipe.idPlaceholder, client_id],
    ['<client_secret>', client_secret ?? '<client_secret>'],
  ])
  const any = [...places.keys()].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text.replace(new RegExp(any, 'g'), (found) => places.get(found) ?? found)
}

const exampleIssuer = 'https://sso.example.org'
const plain = (uri: string) => uri
const twice = (uri: string) => encodeURIComponent(encodeURIComponent(uri))

function isLoopback(uri: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(uri)
}

/** Rows of a table `| field | value |` whose value is given word for word. */
function formIn(text: string): Recipe['form'] {
  const [, table = ''] = text.split(/^\| field \| value \|\n\|---\|---\|\n/m)
  const rows = /^(?:\|.*\|\n)+/.exec(table)?.[0].trim().split('\n') ?? []
  return rows.flatMap((row) => {
    const [, label = '', said = ''] =
      row.split(' | ').length === 2 ? (/^\| (.*) \| (.*) \|$/.exec(row) ?? []) : []
    if (!said.startsWith('`')) return []
    const values = [...said.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value)
    const labels = label.split(', ')
    return values.flatMap((value, at) => (labels[at] ? [{ field: labels[at], value }] : []))
  })
}

/** Where an application stands that was registered by a recipe: what comes before the recipe's path in one of its addresses. */
export function baseOf({ base, fields }: Recipe, redirect_uris: readonly string[]): string | undefined {
  if (base === undefined) return undefined
  const paths = fields.redirect_uris
    .filter((uri) => uri.startsWith(base))
    .map((uri) => uri.slice(base.length))
  for (const uri of redirect_uris)
    for (const path of paths)
      if (!isLoopback(uri) && uri.endsWith(path)) return uri.slice(0, uri.length - path.length)
  return undefined
}

/** The recipe that these addresses look like; one whose addresses have no path looks like nothing. */
export function recipeOf(recipes: readonly Recipe[], redirect_uris: readonly string[]): Recipe | undefined {
  return recipes.find((recipe) => {
    const [uri = ''] = recipe.fields.redirect_uris
    if (recipe.base === undefined) return redirect_uris.includes(uri)
    return uri.length > recipe.base.length && baseOf(recipe, redirect_uris) !== undefined
  })
}
