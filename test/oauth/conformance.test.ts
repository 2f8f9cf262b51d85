import { readFile } from 'node:fs/promises'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { plans } from './conformance.ts'

const issuer = 'https://sso.example.org'
const service = await startTestService({ app_oauth__issuer: issuer })
const { request } = service
tap.teardown(() => service[Symbol.asyncDispose]())

type Metadata = Record<string, string | string[] | boolean>
type Jwk = Record<string, string>

test('every module of the plans Basic OP, Config OP, RP-initiated and back-channel logout is expressed by a test that begins with its name, or says why not', async (t) => {
  for (const [plan, modules] of Object.entries(plans))
    for (const [name, module] of Object.entries(modules)) {
      if ('why' in module) {
        t.match(module.why, /\w{3} /, `${plan}: ${name}`)
        continue
      }
      const [file = '', proof] = 'in' in module ? [module.in] : module.as.split(' # ')
      const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
      const titles = [...source.matchAll(/^test\('([^']+)'/gm)].map(([, title = '']) => title)
      const named = titles.filter((title) =>
        proof === undefined ? title.split(': ')[0]?.split(', ').includes(name) : title === proof,
      )
      t.equal(named.length, 1, `${plan}: ${name} stands in ${file}`)
    }
})

/** Every URL that the metadata name is https (VerifyOPEndpointsUseHTTPS). */
function insecure(metadata: Metadata): string[] {
  const urls = Object.entries(metadata).filter(([, value]) => /^https?:/.test(String(value)))
  return urls.filter(([, url]) => !String(url).startsWith('https://')).map(([name]) => name)
}

test('oidcc-discovery-endpoint-verification, oidcc-rp-initiated-logout-discovery-endpoint-verification, oidcc-backchannel-logout-discovery-endpoint-verification: the metadata say what the specifications demand, all endpoints are https, the keys are public and named apart', async (t) => {
  const { status, headers, body } = await request<Metadata>('GET', '/.well-known/openid-configuration')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^application\/json\b/)
  t.equal(body.issuer, issuer)
  t.same(insecure(body), [])
  for (const endpoint of ['authorization', 'token', 'userinfo', 'end_session'])
    t.match(body[`${endpoint}_endpoint`], /^https:\/\/sso\.example\.org\/oauth\/\w+$/, endpoint)
  t.equal(body.backchannel_logout_supported, true)
  t.equal(body.backchannel_logout_session_supported, true)
  const lists = body as Record<string, string[]>
  t.ok(lists.response_types_supported?.includes('code'))
  t.same(lists.subject_types_supported, ['public'])
  t.ok(lists.id_token_signing_alg_values_supported?.includes('RS256'))
  t.ok(lists.grant_types_supported?.includes('authorization_code'))
  t.ok(lists.grant_types_supported?.includes('refresh_token'))
  t.ok(lists.scopes_supported?.includes('openid'))
  t.same(
    lists.scopes_supported?.filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)),
    [],
  )
  t.ok(lists.claims_supported?.includes('sub') && lists.claims_supported.includes('email'))
  t.ok(Array.isArray(lists.code_challenge_methods_supported))
  t.not(body.request_parameter_supported, true)
  t.equal(body.request_uri_parameter_supported, false, 'left out, it would mean true')

  const jwks = await request<{ keys: Jwk[] }>('GET', new URL(String(body.jwks_uri)).pathname)
  t.equal(jwks.status, 200)
  const { keys } = jwks.body
  t.ok(keys.length > 0)
  t.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length)
  for (const key of keys) {
    t.match(key.kid, /\S/)
    t.match(key.kty, /^(RSA|EC|OKP)$/)
    t.same(
      ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].filter((part) => part in key),
      [],
    )
  }
})
