import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { signedIn } from './person.ts'
import { pageHeaders } from './render.ts'
import type { Account } from './views.ts'

/** What `npm run build` makes of `portal/`; a service that was never built goes without. */
const dist = join(import.meta.dirname, '../../portal/dist')

/** Below these the portal finds its own way; every other path stays what it is. */
const areas = ['/catalogue', '/requests', '/account', '/groups', '/decisions', '/people', '/admin']

/**
 * The portal (docs/portal.md): its page at its own paths, and the files it loads, whose names change with their content.
 * It has no privilege: all it does goes through the API. `plain` answers `/` where it is not served.
 */
export async function portalPages(
  app: App,
  deps: Deps,
  plain: (account: Account, reply: FastifyReply) => Promise<FastifyReply>,
): Promise<void> {
  const { config } = deps
  const built = existsSync(join(dist, 'index.html')) && readFileSync(join(dist, 'index.html'), 'utf8')
  const isServed = () => built !== false && config.portal.serve
  await app.register(fastifyStatic, {
    ...{ root: join(dist, 'assets'), serve: false, preCompressed: true, maxAge: '365d', immutable: true },
  })

  const show = (reply: FastifyReply) => {
    if (!built || !config.portal.serve) throw new Refusal('NotFound')
    const nonce = randomBytes(18).toString('base64')
    const brand = escaped(config.branding.name)
    const html = built
      .replaceAll('%NONCE%', nonce)
      .replaceAll('%ICON%', app.pageAssets.urls.icon)
      .replaceAll('%BRAND%', () => brand)
    return reply.headers(portalHeaders(nonce)).send(html)
  }

  /** To the sign-in page, and from there back. */
  const signIn = ({ url }: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(url === '/' ? '/login' : `/login?${new URLSearchParams({ return_to: url })}`, 303)

  app.get('/', async (request, reply) => {
    const account = await signedIn(request, deps)
    if (!account) return signIn(request, reply)
    return isServed() ? show(reply) : plain(account, reply)
  })

  for (const path of areas.flatMap((area) => [area, `${area}/*`]))
    app.get(path, async (request, reply) => {
      if (!isServed() || (await signedIn(request, deps))) return show(reply)
      return signIn(request, reply)
    })

  app.get('/portal/assets/:file', { schema: { params: File } }, async (request, reply) => {
    const { file } = request.params
    if (!isServed() || !/^\w[\w.-]*$/.test(file)) throw new Refusal('NotFound')
    return reply.sendFile(file)
  })
}

const File = Type.Object({ file: Type.String({ maxLength: 128 }) })

/** Pictures of applications may come from anywhere by https; nothing else leaves the origin. */
function portalHeaders(nonce: string): Record<string, string> {
  return pageHeaders({
    'script-src': ["'self'", `'nonce-${nonce}'`],
    'style-src': ["'self'", `'nonce-${nonce}'`],
    'img-src': ["'self'", 'data:', 'https:'],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
  })
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (sign) => entities[sign] as string)
}
