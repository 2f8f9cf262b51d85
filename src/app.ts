import { accessRequestRoutes } from './access-request/routes.ts'
import { apiTokenRoutes } from './api-token/routes.ts'
import { activityRoutes, auditRoutes } from './audit/routes.ts'
import { impersonationRoutes } from './auth/impersonation-routes.ts'
import { lockoutRoutes } from './auth/lockout-routes.ts'
import { authRoutes, sessionRoutes } from './auth/routes.ts'
import { clientRoutes } from './client/routes.ts'
import { confRoutes } from './conf/routes.ts'
import type { Deps } from './deps.ts'
import { accessRoutes } from './directory/access-routes.ts'
import { edgeRoutes, linkRoutes } from './directory/link-routes.ts'
import { resourceRoutes } from './directory/routes.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { grantRoutes } from './grant/routes.ts'
import { groupRoutes } from './group/routes.ts'
import type { App } from './http/app-type.ts'
import { holdSecret } from './http/held-secret.ts'
import { installLimits } from './http/limits.ts'
import { protect } from './http/protected.ts'
import { createServer } from './http/server.ts'
import { acceptanceRoutes } from './invite/acceptance-routes.ts'
import { inviteRoutes } from './invite/routes.ts'
import { notificationRoutes } from './notification/routes.ts'
import { authorizeRoutes } from './oauth/authorize.ts'
import { openProvider } from './oauth/holder.ts'
import { announceLogouts } from './oauth/logout-notices.ts'
import { installProvider } from './oauth/mount.ts'
import { operationRoutes } from './operations/routes.ts'
import { statusRoutes } from './operations/status.ts'
import { assets } from './pages/assets.ts'
import { installPages } from './pages/render.ts'
import { pageRoutes } from './pages/routes.ts'
import { pluginRoutes } from './plugins/routes.ts'
import { tokenRoutes } from './token/routes.ts'
import { openTosRoutes, tosRoutes } from './tos/routes.ts'
import { userRoutes } from './user/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

/** The whole service on one page: three scopes, and one line for each slice in the scope it belongs to. */
export async function buildApp(
  deps: Deps,
  observe: (app: App) => Promise<void> = async () => {},
): Promise<App> {
  const [app, provider] = await Promise.all([createServer(deps), openProvider(deps)])
  app.addHook('onClose', () => provider[Symbol.asyncDispose]())
  await observe(app)
  holdSecret(app, deps)
  await installLimits(app, deps)
  await installPages(app, deps)
  announceLogouts({ ...deps, provider })

  // Raw: oidc-provider reads its own requests; discovery and JWKS from a buffer.
  await app.register(installProvider, { ...deps, provider })

  // Open: nobody is asked who they are.
  await app.register(async (open: App) => {
    await open.register(operationRoutes, deps)
    await open.register(assets)
    await open.register(pageRoutes, deps)
    await open.register(under('/api/auth', authRoutes), deps)
    await open.register(under('/api/auth/invite', acceptanceRoutes), deps)
    await open.register(under('/api/tos', openTosRoutes), deps)
  })

  // Protected: authenticated, and every route states its access.
  await app.register(async (closed: App) => {
    protect(closed, deps)
    await closed.register(under('/api/auth/session', sessionRoutes), deps)
    await closed.register(under('/api/auth/impersonate', impersonationRoutes), deps)
    await closed.register(under('/api/auth/lockout', lockoutRoutes), deps)
    await closed.register(under('/api/user/invite', inviteRoutes), deps)
    await closed.register(under('/api/user', userRoutes), deps)
    await closed.register(under('/api/user/me/activity', activityRoutes), deps)
    await closed.register(under('/api/group', groupRoutes), deps)
    await closed.register(under('/api/tos', tosRoutes), deps)
    await closed.register(under('/api/token', tokenRoutes), deps)
    await closed.register(under('/api/api-token', apiTokenRoutes), deps)
    await closed.register(under('/api/notification', notificationRoutes), deps)
    await closed.register(under('/api/status', statusRoutes), deps)
    await closed.register(under('/api/audit', auditRoutes), deps)
    await closed.register(under('/api/conf', confRoutes), deps)
    await closed.register(under('/api/directory-admin/resources', resourceRoutes), { ...deps, provider })
    await closed.register(under('/api/directory-admin/edges', edgeRoutes), deps)
    await closed.register(under('/api/directory-admin/groups', linkRoutes), deps)
    await closed.register(under('/api/directory-admin', accessRoutes), deps)
    await closed.register(under('/api/discovery', discoveryRoutes), deps)
    await closed.register(under('/api/access-requests', accessRequestRoutes), deps)
    await closed.register(under('/api/webhooks', webhookRoutes), deps)
    await closed.register(under('/api/plugins', pluginRoutes), deps)
    await closed.register(under('/api/oauth/client', clientRoutes), { ...deps, provider })
    await closed.register(under('/api/oauth/grant', grantRoutes), deps)
    await closed.register(under('/api/oauth', authorizeRoutes), { ...deps, provider })
  })

  await app.ready()
  return app
}

/**
 * A slice under its path, so that what it is given are its deps and nothing else. Named, and in one scope: Fastify looks
 * for the name of one without among all loaded modules, and a second scope is half of what registering it costs.
 */
function under<D>(prefix: string, slice: (app: App, deps: D) => Promise<void>) {
  const name = { [Symbol.for('fastify.display-name')]: prefix }
  const register = async (app: App, deps: D) => {
    await app.register(
      Object.assign((scope: App) => slice(scope, deps), name),
      { prefix },
    )
  }
  return Object.assign(register, name, { [Symbol.for('skip-override')]: true })
}
