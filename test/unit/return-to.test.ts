import { test } from 'tap'
import { ownPath } from '#src/pages/return-to.ts'

test('return_to takes a path of our own as it is', async (t) => {
  for (const path of ['/', '/a/b?c=d&e=%2F#f', '/oauth/authorize?redirect_uri=https://wiki.example.org/cb'])
    t.equal(ownPath(path), path)
  t.equal(ownPath('/ä b'), '/%C3%A4%20b')
})

test('return_to cannot leave the site', async (t) => {
  for (const hostile of [
    undefined,
    '',
    'https://evil.example',
    'evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/./\\evil.example',
    '/%2e//evil.example',
    '@evil.example',
    'javascript:alert(1)',
    '/%5c/../..//evil.example',
    `/${'a'.repeat(3000)}`,
  ]) {
    t.equal(ownPath(hostile), '/', JSON.stringify(hostile)?.slice(0, 40))
    t.equal(new URL(ownPath(hostile), 'https://sso.example.org').host, 'sso.example.org')
  }
})
