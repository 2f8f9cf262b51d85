import t from 'tap'
import { onRegisteredOrigin, redirectUriFault, redirectUriMatches } from '#src/oauth/redirect-uri.ts'
import { hostileUris, matched } from '#test/support/hostile-uris.ts'

const one = ['https://*.ok.example/cb']
const many = ['https://**.ok.example/cb?from=sso']
const exact = ['https://ok.example/cb', 'http://intranet/cb', 'http://127.0.0.1:8000/cb']

t.test('redirect_uri equals a registered URI', async (t) => {
  for (const uri of exact) t.ok(redirectUriMatches(exact, uri), uri)
  for (const uri of [
    'https://ok.example/cb/',
    'https://ok.example/cb?x=1',
    'http://ok.example/cb',
    'https://OK.example/cb',
  ])
    t.notOk(redirectUriMatches(exact, uri), uri)
})

t.test('* stands for exactly one hostname label, ** for one or more', async (t) => {
  t.ok(redirectUriMatches(one, 'https://a.ok.example/cb'))
  t.ok(redirectUriMatches(one, 'https://a-1.ok.example/cb'))
  for (const uri of [
    'https://ok.example/cb',
    'https://a.b.ok.example/cb',
    'https://*.ok.example/cb',
    'https://.ok.example/cb',
  ])
    t.notOk(redirectUriMatches(one, uri), uri)
  t.ok(redirectUriMatches(many, 'https://a.ok.example/cb?from=sso'))
  t.ok(redirectUriMatches(many, 'https://a.b.c.ok.example/cb?from=sso'))
  for (const uri of [
    'https://ok.example/cb?from=sso',
    'https://a.ok.example/cb',
    'https://a.ok.example/cb?from=sso&x=1',
  ])
    t.notOk(redirectUriMatches(many, uri), uri)
  t.ok(redirectUriMatches(['https://**.mid.*.ok.example/'], 'https://a.b.mid.c.ok.example/'))
  t.notOk(redirectUriMatches(['https://**.mid.*.ok.example/'], 'https://a.b.mid.c.d.ok.example/'))
})

t.test('attack 20: a corpus of hostile URLs is all refused', async (t) => {
  for (const uri of hostileUris)
    t.notOk(redirectUriMatches(matched, uri, { anyLoopbackPort: true }), JSON.stringify(uri))
})

t.test('loopback ports are free for public clients only', async (t) => {
  const registered = ['http://127.0.0.1/cb', 'http://[::1]:1/cb']
  t.ok(redirectUriMatches(registered, 'http://127.0.0.1:49152/cb', { anyLoopbackPort: true }))
  t.ok(redirectUriMatches(registered, 'http://[::1]:49152/cb', { anyLoopbackPort: true }))
  t.notOk(redirectUriMatches(registered, 'http://127.0.0.1:49152/cb'))
  t.notOk(redirectUriMatches(registered, 'http://127.0.0.1:49152/other', { anyLoopbackPort: true }))
  t.notOk(redirectUriMatches(registered, 'http://127.0.0.2:49152/cb', { anyLoopbackPort: true }))
  t.notOk(
    redirectUriMatches(['https://ok.example/cb'], 'https://ok.example:8443/cb', { anyLoopbackPort: true }),
  )
})

t.test('attack 22: what cannot be registered', async (t) => {
  const free = { public: true, http_redirects: 'allowed' } as const
  for (const uri of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,hi',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://ok.example/1',
    'about:blank',
    'myapp:/cb',
    '/cb',
    'ok.example/cb',
    '',
    'https://user@ok.example/cb',
    'https://user:pass@ok.example/cb',
    'https://@ok.example/cb',
    'https://ok.example/cb#fragment',
    'https://ok.example/cb#',
    'https://ok.example\\@evil.example/cb',
    'https://ok.example/c b',
    'https://*.example/cb',
    'https://**.com/cb',
    'https://*/cb',
    'https://**/cb',
    'https://*.*/cb',
    'https://*.*.example/cb',
    'https://ok.*/cb',
    'https://ok.*.example/cb',
    'https://a*.ok.example/cb',
    'https://*a.ok.example/cb',
    'https://***.ok.example/cb',
    'https://**.**.ok.example/cb',
    'https://*.ok.example/*',
    'https://ok.example/*',
    'http://*.ok.example/cb',
    'com.example.app://*/cb',
    'https://*.0.0.1/cb',
    'https://*.ok.example:443/cb',
    'https://*.ok.example/a/../cb',
    'https://*.ok.example?x',
  ])
    t.ok(redirectUriFault(uri, free), JSON.stringify(uri))
})

t.test('what can be registered', async (t) => {
  const closed = { public: false, http_redirects: 'loopback' } as const
  for (const uri of [
    'https://ok.example/cb',
    'https://ok.example:8443/cb?x=1',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
    'https://*.ok.example/cb',
    'https://**.ok.example/cb',
    'https://*.apps.ok.example:8443/cb',
    'http://*.localhost:3000/cb',
  ])
    t.equal(redirectUriFault(uri, closed), undefined, uri)
  t.ok(redirectUriFault('http://intranet/cb', closed))
  t.equal(redirectUriFault('http://intranet/cb', { ...closed, http_redirects: 'allowed' }), undefined)
  t.ok(redirectUriFault('com.example.app:/cb', closed))
  t.equal(redirectUriFault('com.example.app:/cb', { ...closed, public: true }), undefined)
})

t.test('a logout target stands on the origin of an exact redirect URI', async (t) => {
  t.ok(onRegisteredOrigin(exact, 'https://ok.example/bye?x=1'))
  t.ok(onRegisteredOrigin(exact, 'https://ok.example'))
  for (const uri of [
    'https://a.ok.example/',
    'http://ok.example/',
    'https://ok.example:444/',
    'https://ok.example@evil.example/',
    'https://ok.example\\evil',
  ])
    t.notOk(onRegisteredOrigin(exact, uri), uri)
  t.notOk(onRegisteredOrigin(one, 'https://a.ok.example/'), 'a pattern names no origin')
})
