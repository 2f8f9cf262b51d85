import { test } from 'tap'
import { appsPage } from '#test/support/apps.ts'
import { blank, changesOf, newFields, valuesOf, withRecipe } from '../../portal/src/areas/clients/fields.ts'
import { hints } from '../../portal/src/areas/clients/hints.ts'
import {
  baseOf,
  filledIn,
  recipeOf,
  recipesOf,
  registrationAt,
  sectionsOf,
} from '../../portal/src/areas/clients/recipes.ts'
import type { Client } from '../../portal/src/areas/clients/types.ts'

const page = await appsPage()
const recipes = recipesOf(page)
const named = (id: string) => {
  const found = recipes.find((recipe) => recipe.id === id)
  if (!found) throw new Error(`no recipe ${id}`)
  return found
}

test('each registration of docs/apps.md is a recipe of the wizard, with settings to enter and a hint', async (t) => {
  const registrations = sectionsOf(page).flatMap(({ blocks }) =>
    blocks.filter(({ language }) => language === 'json').map(({ code }) => JSON.parse(code)),
  )
  t.same(
    recipes.map(({ fields }) => fields),
    registrations.map(({ allowed_groups: _, ...fields }) => fields),
  )
  t.ok(recipes.length > 10)
  t.same(recipes.map(({ id }) => id).sort(), Object.keys(hints).sort())
  for (const { name, blocks, form } of recipes) t.ok(blocks.length + form.length > 0, name)
})

test('at the address of its example a recipe registers what docs/apps.md shows, but for the groups and further hosts', async (t) => {
  for (const recipe of recipes) {
    const { base = 'https://no.example', fields } = recipe
    const at = registrationAt(recipe, base)
    const own = fields.redirect_uris.filter(
      (uri) => uri.startsWith(base) || uri.startsWith('http://localhost'),
    )
    t.same(at, { ...fields, redirect_uris: own }, recipe.name)
    t.same(newFields(withRecipe({ ...blank, name: fields.name }, at)), at, `${recipe.name}, through the form`)
  }
})

test('what is shown to be entered has the own addresses, id and secret in all the places of the examples', async (t) => {
  const given = {
    issuer: 'https://login.sso.example.org:8443',
    client_id: 'the-id',
    client_secret: "the-$&-'secret",
    base: 'https://tools.example.net/app',
  }
  for (const recipe of recipes) {
    const texts = [...recipe.blocks.map(({ code }) => code), ...recipe.form.map(({ value }) => value)]
    const all = texts.map((text) => filledIn(text, recipe, given)).join('\n')
    t.match(all, 'the-id', recipe.name)
    t.notMatch(all, recipe.idPlaceholder)
    t.notMatch(all, /[^.]sso\.example\.org/)
    t.notMatch(all, '<client_secret>')
    if (recipe.base) t.notMatch(all, new RegExp(`${new URL(recipe.base).host}(?!:)`))
  }
  const [grafana] = named('grafana').blocks
  const filled = filledIn(grafana?.code ?? '', named('grafana'), given)
  t.match(filled, 'root_url = https://tools.example.net/app\n')
  t.match(filled, 'post_logout_redirect_uri=https%3A%2F%2Ftools.example.net%2Fapp%2Flogin')
  t.match(filled, `client_secret = ${given.client_secret}\n`)
  const { client_secret: _, ...unknown } = given
  t.match(filledIn(grafana?.code ?? '', named('grafana'), unknown), 'client_secret = <client_secret>\n')
  t.match(named('portainer').form, [{ field: 'Client ID', value: '<client_id>' }, { field: 'Client secret' }])
})

test('a recipe is known again by the addresses that it registered', async (t) => {
  for (const recipe of recipes) {
    const base = 'https://tools.example.net/app'
    const { redirect_uris } = registrationAt(recipe, base)
    const known = recipeOf(recipes, redirect_uris)
    // Proxmox VE and Portainer are sent to their front page, as any could be.
    t.equal(known?.id, ['portainer', 'proxmox-ve'].includes(recipe.id) ? undefined : recipe.id)
    t.equal(baseOf(recipe, redirect_uris), recipe.base && base)
  }
})

const client = {
  client_id: '00000000-0000-4000-8000-000000000000',
  name: 'Wiki',
  description: '',
  redirect_uris: ['https://wiki.example/cb'],
  scopes: ['groups', 'own', 'openid'],
  allowed_groups: ['staff'],
  token_lifetime: { access_token: 3600, refresh_token: 600 },
  is_valid: true,
  created_by: 'ada',
  created_on: 1,
  updated_by: 'ada',
  updated_on: 1,
  require_pkce: true,
  skip_consent: false,
  public: false,
  post_logout_redirect_uris: [],
  id_token_signed_response_alg: 'RS256',
  grant_types: ['refresh_token', 'authorization_code'],
  groups_claim: ['wiki-*', 'all staff'],
  groups_in_id_token: true,
} satisfies Client

test('the form sends what was changed and nothing else', async (t) => {
  const values = valuesOf(client, { access_token: 3600, refresh_token: 2_592_000 })
  t.same(changesOf(values, { ...values }), {})
  const changed = (changes: Partial<typeof values>) => changesOf(values, { ...values, ...changes })
  t.same(changed({ name: ' Wiki ' }), {})
  t.same(changed({ redirect_uris: 'https://wiki.example/cb\n\nhttps://wiki.example/cb\n' }), {})
  t.same(changed({ description: 'Ours' }), { description: 'Ours' })
  t.same(changed({ logo_uri: 'https://wiki.example/logo.svg' }), {
    logo_uri: 'https://wiki.example/logo.svg',
  })
  t.same(changed({ scopes: ['openid'], otherScopes: '' }), { scopes: ['openid'] })
  t.same(changed({ refresh_token: '' }), { token_lifetime: null })
  t.same(changed({ access_token: '60' }), { token_lifetime: { access_token: 60, refresh_token: 600 } })
  t.same(changed({ patterns: 'wiki-*' }), { groups_claim: ['wiki-*'] })
  t.same(changed({ groups_claim: 'allowed' }), { groups_claim: 'allowed' })
  t.same(changed({ kind: 'public', allowed_groups: [] }), { allowed_groups: [], public: true })
})
