import tap from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { startApplication } from './application.ts'

/** Two pods, and an application on loopback which they may tell of logouts. */
export async function startLogoutTests(settings: Record<string, string> = {}) {
  let url = ''
  const application = await startApplication(() => url)
  const allowed = { app_egress__allow: '127.0.0.1', app_delivery__backoff: '100', ...settings }
  const service = await startTestService(allowed)
  url = service.url
  const other = await service.secondPod()
  tap.teardown(async () => {
    await other[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await application[Symbol.asyncDispose]()
  })
  const admin = await service.login(service.admin.uid, service.admin.password)
  const party = relyingParty(service, admin)
  let names = 0

  /** A client that wants to be told. */
  async function tellable(fields: Record<string, unknown> = {}) {
    const name = `client${++names}`
    const client = await party.register({ backchannel_logout_uri: application.uriOf(name), ...fields })
    application.expect(name, client.client_id, fields.id_token_signed_response_alg as string | undefined)
    return { ...client, name }
  }
  return { ...service, ...party, service, other, admin, application, tellable }
}
