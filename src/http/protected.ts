import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { OnboardingDeps } from '#src/user/onboarding.ts'
import { onboardingNeeds } from '#src/user/onboarding.ts'
import { isSelf } from './access.ts'
import type { App } from './app-type.ts'
import type { Caller } from './caller.ts'
import { authenticate } from './caller.ts'

type ProtectedDeps = Pick<Deps, 'sessions' | 'accounts' | 'groups' | 'store'> & OnboardingDeps

/**
 * Makes a scope protected: every request is authenticated and its route's access is asked, before its body is read.
 * Fails closed: a route that does not say who may call it stops the boot.
 */
export function protect(app: App, deps: ProtectedDeps): void {
  app.decorateRequest<Caller | null>('caller', null)
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${method} ${url} does not say who may call it`)
  })
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const caller = await authenticate(request, deps)
    request.setDecorator('caller', caller)
    if (caller.apiToken?.scope === 'read' && request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refusal('InsufficientPermission', 'This token may only read.')
    const access = request.routeOptions.config.access
    const params = request.params as Record<string, string>
    await requireOnboarding(request, caller, deps)
    if (!access || !(await access.allows(caller, params, deps))) throw new Refusal('InsufficientPermission')
  })
}

/** Contract section 2, onboarding enforcement: whoever has steps open may take them, and little else. */
async function requireOnboarding(
  request: FastifyRequest,
  caller: Caller,
  deps: ProtectedDeps,
): Promise<void> {
  if (deps.config.onboarding.enforce !== 'api') return
  const { uid = caller.uid } = request.params as { uid?: string }
  if (request.routeOptions.config.duringOnboarding && isSelf(caller, uid)) return
  const account = await deps.accounts.find(caller.uid)
  if (!account || (await onboardingNeeds(deps, account.entry)).length > 0)
    throw new Refusal('OnboardingRequired')
}
