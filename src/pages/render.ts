import { createHash } from 'node:crypto'
import { join } from 'node:path'
import fastifyView from '@fastify/view'
import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'
import type { Deps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { readAssets } from './assets.ts'
import type { Views } from './views.ts'

export type PageOptions = {
  status?: number
  /**
   * Where a form of this page may end beside ourselves: redirect URIs whose origins the policy then names, since
   * browsers apply form-action to the redirect after a form too.
   */
  formAction?: string[]
  /** Schemes at which a form of this page may end, wherever. */
  formActionSchemes?: ('https:' | 'http:')[]
  /** Where the page leads by itself, at once. */
  goOn?: string
  requestId?: string
  /** A script of the page, named in its policy by its hash; the page works without it. */
  script?: string
}

/** A page as it goes out, for answers that are not Fastify's (the provider's own pages). */
export type RenderedPage = { status: number; headers: Record<string, string>; html: string }

declare module 'fastify' {
  interface FastifyInstance {
    renderPage<V extends keyof Views>(view: V, data: Views[V], options?: PageOptions): Promise<RenderedPage>
  }
  interface FastifyReply {
    /** Answers a page of `views/` with its own strict policy (contract section 3). */
    page<V extends keyof Views>(view: V, data: Views[V], options?: PageOptions): Promise<FastifyReply>
  }
}

/** Makes pages: `reply.page`, and `app.renderPage` for the provider. Eta escapes all that a template prints. */
export async function installPages(app: App, { config }: Pick<Deps, 'config'>): Promise<void> {
  const templates = join(import.meta.dirname, '../../views')
  await app.register(fastifyView, { engine: { eta: new Eta() }, templates, production: true })

  app.decorate('pageAssets', readAssets(config.branding.logo))
  const renderPage: App['renderPage'] = async (view, data, options = {}) => {
    const application = 'application' in data ? data.application : undefined
    const logo = httpsOnly(application?.logo_uri)
    const html = await app.view(view, {
      ...data,
      ...(application ? { application: { ...application, logo_uri: logo } } : {}),
      requestId: options.requestId,
      script: options.script,
      brand: config.branding.name,
      page: app.pageAssets.urls,
      initial,
    })
    return { status: options.status ?? 200, headers: headersFor(options, logo), html }
  }

  app.decorate('renderPage', renderPage)
  app.decorateReply('page', async function (this: FastifyReply, view, data, options = {}) {
    const page = await renderPage(view, data, { requestId: this.request.id, ...options })
    return this.code(page.status).headers(page.headers).send(page.html)
  })
}

function headersFor(options: PageOptions, logo: string | undefined): Record<string, string> {
  const headers = pageHeaders({
    'style-src': ["'self'"],
    'script-src': options.script === undefined ? [] : [`'sha256-${digestOf(options.script)}'`],
    'img-src': ["'self'", 'data:', ...(logo ? [new URL(logo).origin] : [])],
    'form-action': [
      "'self'",
      ...(options.formAction ?? []).flatMap(source),
      ...(options.formActionSchemes ?? []),
    ],
  })
  return { ...headers, ...(options.goOn === undefined ? {} : { refresh: `0;url=${options.goOn}` }) }
}

/** Headers of everything that is a page. What `sources` does not name, its policy forbids. */
export function pageHeaders(sources: Record<string, string[]>): Record<string, string> {
  const named = Object.entries(sources).filter(([, of]) => of.length > 0)
  const policy = { 'default-src': ["'none'"], ...Object.fromEntries(named), ...never }
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': Object.entries(policy)
      .map(([directive, of]) => `${directive} ${of.join(' ')}`)
      .join('; '),
    // Pages whose address holds a token say `no-referrer` instead (src/pages/token-page.ts).
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}

const never = { 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"] }

function digestOf(script: string): string {
  return createHash('sha256').update(script).digest('base64')
}

/** The source expression of a redirect URI: its origin, or its scheme where that is an application's own (RFC 8252). */
function source(uri: string): string[] {
  if (!URL.canParse(uri)) return []
  const { origin, protocol } = new URL(uri)
  return [origin === 'null' ? protocol : origin].filter((expression) => !/[*;,'\s]/.test(expression))
}

function httpsOnly(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined
  const { protocol, host, href } = new URL(uri)
  return protocol === 'https:' && !/[*;,'\s]/.test(host) ? href : undefined
}

/** First letter, for the tile that stands where there is no picture. */
function initial(name: string): string {
  return (name.match(/[\p{L}\p{N}]/u)?.[0] ?? '?').toUpperCase()
}
