/** Where the endpoints are (interface, OAuth / OpenID Connect endpoints; contract section 9). */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  jwks: '/oauth/jwks',
  end_session: '/oauth/logout',
  introspection: '/oauth/introspect',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device/authorize',
  code_verification: '/oauth/device',
  pushed_authorization_request: '/oauth/par',
}

/** Pages of an interaction: `login`, `consent`. */
export function interactionPath(uid: string, step: string): string {
  return `/oauth/interaction/${uid}/${step}`
}

/** Longest address that a redirect of ours may name: nginx, by itself, takes the whole head of an answer as 4 KB. */
export const longestAddress = 2000
