import { Ajv } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { FastifySchema } from 'fastify'
import tap, { test } from 'tap'
import { buildApp } from '#src/app.ts'
import { permissionGroups } from '#src/http/access.ts'
import { startTestService } from '#test/support/service.ts'
import written from './access-matrix.json' with { type: 'json' }

/** Who may call what, written down apart from the routes (attacks row 31). A new route needs a row. */
const matrix = written as Record<string, string>

const callers = ['a plain user', 'the account itself', 'a member', 'an owner', ...permissionGroups] as const
type Kind = (typeof callers)[number]
/** Whom the words of the matrix let in; the words that are not here ask for no auth-token and heed none. */
const letIn: Record<string, readonly Kind[]> = {
  'any user': callers,
  'own account or app_sso_admin': ['the account itself', 'app_sso_admin'],
  'owner or app_sso_admin': ['an owner', 'app_sso_admin'],
  ...Object.fromEntries(permissionGroups.map((name) => [name, [name]])),
  'app_sso_admin or app_sso_invite': ['app_sso_admin', 'app_sso_invite'],
}
const open = [
  'anyone',
  'a client',
  'an access token',
  'who has the link',
  'who has the code',
  'the browser that began',
]

/** What takes no personal access token: it would outlive the token, or reach further (contract section 12). */
const inPersonOnly = [
  ...['GET /api/api-token', 'POST /api/api-token', 'DELETE /api/api-token/:id'],
  ...['GET /api/auth/session', 'DELETE /api/auth/session', 'DELETE /api/auth/session/:id'],
  ...['POST /api/auth/impersonate/:uid', 'DELETE /api/auth/impersonate/:uid'],
  ...['POST /api/user/me/verification', 'PUT /api/user/me/verification'],
  ...['PUT /api/user/password', 'PUT /api/user/:uid/password', 'POST /api/user/key'],
  ...['POST /api/user/accept-tos', 'GET /api/user/invite', 'POST /api/oauth/authorize', 'POST /api/conf'],
  ...['POST /api/plugins', 'PUT /api/plugins/:id', 'DELETE /api/plugins/:id', 'PUT /api/plugins/:id/secrets'],
  ...['load', 'unload', 'run', 'test'].map((what) => `POST /api/plugins/:id/${what}`),
  ...['GET /api/token', 'GET /api/token/:name', 'GET /api/token/:name/:token'],
]

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

const schemas: FastifySchema[] = []
const routes = await registeredRoutes()
const isProtected = ({ row }: Route) => (matrix[row] ?? '') in letIn

test('every route stands in the matrix, and every row is a route', (t) => {
  const rows = new Set(routes.map(({ row }) => row))
  t.same(
    [...rows].filter((row) => !(row in matrix)),
    [],
    'routes without a row',
  )
  t.same(
    Object.keys(matrix).filter((row) => !rows.has(row)),
    [],
    'rows without a route',
  )
  t.same(
    Object.values(matrix).filter((who) => !(who in letIn) && !open.includes(who)),
    [],
  )
  t.end()
})

test('401 Unauthorized without a token, or with one that nobody was given', async (t) => {
  for (const route of routes.filter(isProtected))
    for (const token of [undefined, 'x'.repeat(43)]) {
      const answer = await request(route.method, pathOf(route), token ? { token } : {})
      t.match(answer, { status: 401, body: { name: 'Unauthorized' } }, route.row)
    }
})

test('every schema of every route can be checked with and written by: the service makes each at its first use', (t) => {
  const ajv = new Ajv({ strict: false })
  for (const { body, querystring, params, response = {} } of schemas) {
    for (const read of [body, querystring, params]) if (read) ajv.compile(read)
    for (const written of Object.values(response as Record<string, object>)) fastJson(written)
  }
  t.ok(schemas.length > 100)
  t.end()
})

test('every route answers whom the matrix lets in, and 401 InsufficientPermission to all others', async (t) => {
  const tokens = {} as Record<Kind, string>
  for (const kind of callers) {
    const { uid, token } = await newUser(admin)
    tokens[kind] = token
    if (!permissionGroups.includes(kind as (typeof permissionGroups)[number])) continue
    const { status } = await request('PUT', `/api/group/${kind}/${uid}`, { token: admin })
    t.equal(status, 200, kind)
  }
  for (const route of routes.filter(isProtected))
    for (const kind of callers) {
      const { token, path } = await asked(route, kind, tokens[kind])
      const { status, body } = await request(route.method, path, { token })
      const who = matrix[route.row] as string
      if (letIn[who]?.includes(kind)) {
        t.ok(status < 500 && status !== 401, `${route.row} lets ${kind} in: ${status}`)
      } else {
        t.match(
          { status, name: body.name },
          { status: 401, name: 'InsufficientPermission' },
          `${route.row}: ${kind}`,
        )
      }
    }
})

test('a personal access token is taken by every route of its owner but those that are written down, one that may read by GET only', async (t) => {
  const { uid, token } = await newUser(admin)
  for (const group of permissionGroups) await request('PUT', `/api/group/${group}/${uid}`, { token: admin })
  const tokenFor = async (scope: string) => {
    const body = { name: scope, scope, expires_in_days: 1 }
    const made = await request<{ token: string }>('POST', '/api/api-token', { token, body })
    return { authorization: `Bearer ${made.body.token}` }
  }
  const sent = { read: await tokenFor('read'), write: await tokenFor('write') }
  for (const route of routes.filter(isProtected))
    for (const [scope, headers] of Object.entries(sent)) {
      const { status, body } = await request(route.method, pathOf(route), { headers })
      const refused = inPersonOnly.includes(route.row) || (scope === 'read' && route.method !== 'GET')
      const said = `${route.row}: ${scope}, ${status} ${body?.name}`
      if (refused) t.match({ status, body }, { status: 401, body: { name: 'InsufficientPermission' } }, said)
      else t.ok(status < 500 && status !== 401, said)
    }
  t.same(
    inPersonOnly.filter((row) => !(row in matrix)),
    [],
  )
})

test('what is open asks for no auth-token, and an auth-token opens nothing that asks for something else', async (t) => {
  const { token } = await newUser(admin)
  for (const route of routes.filter(({ row }) => open.includes(matrix[row] ?? ''))) {
    const who = matrix[route.row] as string
    const headers = { accept: 'application/json', origin: service.url }
    const { status, body } = await request(route.method, pathOf(route), { headers })
    if (who === 'anyone') t.ok(status < 500 && status !== 401 && status !== 403, `${route.row}: ${status}`)
    else t.ok(status >= 400 && status < 500, `${route.row}: ${status} ${body?.name}`)
    if (who === 'anyone') continue
    const withToken = await request(route.method, pathOf(route), { headers, token })
    t.equal(withToken.status, status, `${route.row} heeds no auth-token`)
  }
})

type Route = { method: string; url: string; row: string }

/** All routes of the service, as Fastify registers them. */
async function registeredRoutes(): Promise<Route[]> {
  const found: Route[] = []
  const app = await buildApp(service.deps, async (server) => {
    server.addHook('onRoute', ({ method, url, schema }) => {
      if (schema) schemas.push(schema)
      const methods = [method].flat()
      const name = url.replace(/^\/assets\/.*/, '/assets/*').replace(/(?<=.)\/$/, '')
      if (methods.length > 3) found.push({ method: 'PATCH', url, row: `ALL ${name}` })
      // Fastify makes HEAD of each GET, with the same access.
      else
        for (const each of methods.filter((name) => name !== 'HEAD'))
          found.push({ method: each, url, row: `${each} ${name}` })
    })
  })
  await app.close()
  return found
}

/** The route with names that nobody has: who may call it is asked before anything is looked up. */
function pathOf({ url }: Route, names: Record<string, string> = {}): string {
  return url.replace(/:(\w+)/g, (_, name: string) => names[name] ?? 'nobody-has-this')
}

/** What a caller of this kind asks for: an account of its own, a group it is in or owns; else what nobody has. */
async function asked(route: Route, kind: Kind, token: string): Promise<{ token: string; path: string }> {
  if (kind === 'the account itself' && /^\/api\/user\/:uid/.test(route.url)) {
    const own = await newUser(admin)
    return { token: own.token, path: pathOf(route, { uid: own.uid }) }
  }
  const part = { 'an owner': 'owner/', 'a member': '' }[kind as string]
  if (part !== undefined && /^\/api\/group\/.*:(group|name)/.test(route.url)) {
    const { body } = await request<{ uid: string }>('GET', '/api/user/me', { token })
    const group = `a group ${++groups}`
    await request('POST', '/api/group/', { token: admin, body: { name: group, description: '' } })
    const put = await request('PUT', `/api/group/${part}${group}/${body.uid}`, { token: admin })
    if (put.status !== 200) throw new Error(`${kind} of ${group}: ${put.text}`)
    // It names itself where a route names a person too: nobody leaves a group, or takes it over, on their own.
    const names = { group, name: group, uid: body.uid }
    return { token, path: encodeURI(pathOf(route, names)) }
  }
  return { token, path: pathOf(route) }
}
let groups = 0
