import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { tokenPage } from '#src/pages/token-page.ts'
import { claimOf, confirmAddress } from './verification.ts'

const Params = Type.Object({ token: Type.String({ maxLength: 128 }) })

/** The page behind a verification link: asks first, since mail scanners open every link they see. */
export async function verifyPages(app: App, deps: Deps) {
  tokenPage(app)

  app.get('/verify/:token', { schema: { params: Params } }, async (request, reply) => {
    const { token } = request.params
    const { kind, address } = await claimOf(deps, token)
    return reply.page('verify', { form: { action: `/verify/${token}` }, kind, address })
  })

  app.post('/verify/:token', { schema: { params: Params } }, async (request, reply) => {
    const { kind, address } = await confirmAddress(deps, request.params.token, clientAddress(request))
    return reply.page('verified', { kind, address })
  })
}
