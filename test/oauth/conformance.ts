/**
 * The modules of the OpenID Foundation's certification plans, as its suite names them (release 5; what older and newer
 * releases call otherwise stands too), and the test that expresses each here. The suite itself is not run. What no test
 * can express is what it asks a person or the network for: screenshots (their pages are read instead), and the versions
 * and ciphers of TLS, which ends before this service.
 */
const basic = 'test/oauth/conformance-basic.test.ts'
const requests = 'test/oauth/conformance-requests.test.ts'
const logout = 'test/oauth/conformance-logout.test.ts'
const config = 'test/oauth/conformance.test.ts'

/**
 * `in`: the file with the test whose title begins with the module's name, alone or among others; `as`: another test that
 * proves the same; `why`: why there is none.
 */
export type Module = { in: string } | { as: string } | { why: string }

export const plans: Record<string, Record<string, Module>> = {
  'oidcc-basic-certification-test-plan': {
    'oidcc-server': { in: basic },
    'oidcc-response-type-missing': { in: basic },
    'oidcc-idtoken-signature': { in: basic },
    'oidcc-idtoken-unsigned': { in: basic },
    'oidcc-userinfo-get': { in: basic },
    'oidcc-userinfo-post-header': { in: basic },
    'oidcc-userinfo-post-body': { in: basic },
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': { in: basic },
    'oidcc-scope-profile': { in: basic },
    'oidcc-scope-email': { in: basic },
    'oidcc-scope-address': { in: basic },
    'oidcc-scope-phone': { in: basic },
    'oidcc-scope-all': { in: basic },
    'oidcc-ensure-other-scope-order-succeeds': { in: basic },
    'oidcc-alternate-happy-flow': { in: basic },
    'oidcc-display-page': { in: requests },
    'oidcc-display-popup': { in: requests },
    'oidcc-prompt-login': { in: requests },
    'oidcc-prompt-none-not-logged-in': { in: requests },
    'oidcc-prompt-none-logged-in': { in: requests },
    'oidcc-max-age-1': { in: requests },
    'oidcc-max-age-10000': { in: requests },
    'oidcc-ensure-request-with-unknown-parameter-succeeds': { in: requests },
    'oidcc-id-token-hint': { in: requests },
    'oidcc-login-hint': { in: requests },
    'oidcc-ui-locales': { in: requests },
    'oidcc-claims-locales': { in: requests },
    'oidcc-ensure-request-with-acr-values-succeeds': { in: requests },
    'oidcc-codereuse': { in: basic },
    'oidcc-codereuse-30seconds': { in: basic },
    'oidcc-ensure-registered-redirect-uri': { in: basic },
    'oidcc-ensure-post-request-succeeds': { in: requests },
    'oidcc-server-client-secret-post': { in: basic },
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': { in: requests },
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': { in: requests },
    'oidcc-claims-essential': { in: requests },
    'oidcc-ensure-request-object-with-redirect-uri': { in: requests },
    'oidcc-refresh-token': { in: basic },
    'oidcc-ensure-request-with-valid-pkce-succeeds': { in: basic },
  },
  'oidcc-config-certification-test-plan': {
    'oidcc-discovery-endpoint-verification': { in: config },
  },
  'oidcc-rp-initiated-logout-certification-test-plan': {
    'oidcc-rp-initiated-logout-discovery-endpoint-verification': { in: config },
    'oidcc-rp-initiated-logout': { in: logout },
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': { in: logout },
    'oidcc-rp-initiated-logout-modified-id-token-hint': { in: logout },
    'oidcc-rp-initiated-logout-no-id-token-hint': { in: logout },
    'oidcc-rp-initiated-logout-no-params': { in: logout },
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': { in: logout },
    'oidcc-rp-initiated-logout-no-state': { in: logout },
    'oidcc-rp-initiated-logout-only-state': { in: logout },
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': { in: logout },
    'oidcc-rp-initiated-logout-bad-id-token-hint': { in: logout },
  },
  'oidcc-backchannel-rp-initiated-logout-certification-test-plan': {
    'oidcc-backchannel-logout-discovery-endpoint-verification': { in: config },
    'oidcc-backchannel-rp-initiated-logout': { in: logout },
  },
  // Of this plan only what does not register clients, which Latchkey offers to nobody but its administrators.
  'oidcc-dynamic-certification-test-plan': {
    'oidcc-server-rotate-keys': {
      as: 'test/oauth/keys.test.ts # keys rotate with published overlap: no pod signs with a key that applications could not know, and what was signed before verifies',
    },
  },
}
