import tap, { test } from 'tap'
import { documentedApps } from '#test/support/apps.ts'
import type { Registered } from '#test/support/oauth.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { allow, redeem, asking, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

type Shown = { redirect_uris: string[]; allowed_groups?: string[]; require_pkce?: boolean; public?: boolean }
const apps = await documentedApps()
const clients = apps.flatMap(({ name, blocks }) =>
  blocks
    .filter(({ language }) => language === 'json')
    .map(({ code }) => ({ name, fields: JSON.parse(code) as Shown })),
)

test('docs/apps.md shows ten applications, each with its registration, its own settings, and whether it was run here', async (t) => {
  t.same(
    apps.map(({ name }) => name),
    [
      ...[
        'Grafana',
        'Gitea',
        'Nextcloud (user_oidc)',
        'GitLab',
        'Portainer',
        'Proxmox VE',
        'HashiCorp Vault',
      ],
      ...['Argo CD', 'oauth2-proxy', 'Apache mod_auth_openidc'],
    ],
  )
  for (const { name, text, blocks } of apps) {
    t.match(text, /\*\*Run here\*\*|\*From its public documentation\*: .*\(https:\/\//, name)
    t.ok(blocks.length > 1 || /^\| field \| value \|$/m.test(text), `${name} is told what to set`)
    t.ok(
      clients.some((client) => client.name === name),
      `${name} is registered`,
    )
  }
})

test('every registration that docs/apps.md shows is accepted, and gives tokens at each of its redirect URIs in the way its application asks', async (t) => {
  const person = await newUser(admin)
  for (const name of new Set(clients.flatMap(({ fields }) => fields.allowed_groups ?? []))) {
    await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })
    await request('PUT', `/api/group/${name}/${person.uid}`, { token: admin })
  }
  for (const { name, fields } of clients) {
    const { status, body, text } = await request('POST', '/api/oauth/client/', { token: admin, body: fields })
    t.equal(status, 200, `${name}: ${status === 200 ? 'accepted' : text}`)
    const { client_id } = body.results as { client_id: string }
    const secret = fields.public ? {} : { client_secret: String(body.client_secret) }
    const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
    for (const redirect_uri of fields.redirect_uris) {
      const client = { client_id, redirect_uri, ...secret } as Registered
      const { asked, code_verifier } = asking(client, fields.require_pkce === false ? withoutPkce : {})
      const { body } = await allow(asked, person.token)
      const code = new URL(String(body.redirect_url)).searchParams.get('code')
      const proof = fields.require_pkce === false ? {} : { code_verifier }
      const tokens = await redeem(client, { code, redirect_uri, ...proof })
      t.equal(tokens.status, 200, `${name}: ${redirect_uri}`)
      t.equal((await userinfo(tokens.body.access_token)).status, 200)
    }
  }
})
