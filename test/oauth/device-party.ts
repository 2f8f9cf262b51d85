// A device as others write it: openid-client, run by device-openid-client.test.ts as a process of its own.
// Arguments: issuer, client_id, client_secret. Prints what a device shows, then what it got, each as a line of JSON.
import * as openid from 'openid-client'

const [issuer = '', client_id = '', client_secret = ''] = process.argv.slice(2)

const config = await openid.discovery(new URL(issuer), client_id, client_secret, undefined, {
  execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
})
const begun = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile' })
const { user_code, verification_uri, verification_uri_complete, expires_in, interval } = begun
console.log(JSON.stringify({ user_code, verification_uri, verification_uri_complete, expires_in, interval }))

try {
  const tokens = await openid.pollDeviceAuthorizationGrant(config, begun)
  const claims = tokens.claims()
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
  const again = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  console.log(JSON.stringify({ claims, userinfo, refreshed: again.claims()?.sub }))
} catch (error) {
  console.log(JSON.stringify({ error: (error as { error?: string }).error ?? String(error) }))
}
