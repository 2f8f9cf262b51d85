import { randomBytes } from 'node:crypto'
import { test } from 'tap'
import { isRefusal } from '#src/errors.ts'
import { holdsKey, parseSshKey, parseSshKeys } from '#src/user/ssh-key.ts'
import { sshKey } from '#test/support/ssh-keys.ts'

/** Printed by OpenSSH's own ssh-keygen. */
const openssh = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMplRZIkmSxWyobcW1lzwO31ySZI0Jlwxlji/Kh9i1RD me@host'

test('ssh-ed25519, ecdsa, rsa of 2048 bits or more and sk-* keys are taken, comment kept', (t) => {
  const keys = [
    openssh,
    sshKey.ed25519('two  words'),
    sshKey.ecdsa('nistp256'),
    sshKey.ecdsa('nistp384'),
    sshKey.ecdsa('nistp521'),
    sshKey.rsa(2048),
    sshKey.rsa(3072),
    sshKey.securityEd25519(),
    sshKey.securityEcdsa(),
  ]
  for (const key of keys) t.equal(parseSshKey(` ${key}\n`).text, key)
  t.equal(parseSshKey(openssh).comment, 'me@host')
  t.end()
})

const refused: [what: string, key: string][] = [
  ['nothing', ''],
  ['a word', 'hello'],
  ['a type alone', 'ssh-ed25519'],
  ['a DSA key', sshKey.dss()],
  ['an RSA key of 1024 bits', sshKey.rsa(1024)],
  ['an even RSA exponent', sshKey.line('ssh-rsa', [Buffer.of(4), Buffer.alloc(256, 0x7f)])],
  ['a negative RSA modulus', sshKey.line('ssh-rsa', [Buffer.of(3), Buffer.alloc(256, 0xff)])],
  ['a short ed25519 key', sshKey.line('ssh-ed25519', [randomBytes(31)])],
  ['bytes after the key', sshKey.line('ssh-ed25519', [randomBytes(32), 'more'])],
  ['a length beyond the end', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5/////w=='],
  ['another type inside', `ssh-rsa ${openssh.split(' ')[1]}`],
  [
    'a point off the curve',
    sshKey.line('ecdsa-sha2-nistp256', ['nistp256', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])]),
  ],
  ['another curve inside', sshKey.line('ecdsa-sha2-nistp384', ['nistp256', Buffer.alloc(65, 4)])],
  ['a security key without its application', sshKey.line('sk-ssh-ed25519@openssh.com', [randomBytes(32)])],
  ['wrong base64', `${openssh.split(' ').slice(0, 2).join(' ')}!`],
  ['options of authorized_keys', `command="sh" ${openssh}`],
  ['two lines', `${openssh}\n${sshKey.ed25519()}`],
  ['a NUL', `${openssh}\0`],
  [
    'a private key',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----',
  ],
  ['a very long comment', `${openssh} ${'x'.repeat(9000)}`],
]
for (const [what, key] of refused)
  test(`${what} is no SSH public key`, (t) => {
    try {
      parseSshKey(key)
      t.fail('was taken')
    } catch (error) {
      t.ok(isRefusal(error, 'InvalidKey'))
      t.notMatch((error as Error).message, 'b3BlbnNzaC1', 'the sentence repeats nothing of it')
    }
    t.end()
  })

test('several keys are joined by a newline; the same key twice is refused whatever its comment', (t) => {
  const [one, two] = [sshKey.ed25519(), sshKey.ecdsa()]
  t.equal(parseSshKeys(`${one}\r\n\n${two}\n`), `${one}\n${two}`)
  t.throws(() => parseSshKeys(`${openssh}\n${openssh} again`))
  t.ok(holdsKey(`${two}\n${one}`, parseSshKey(`${one} other`)))
  t.notOk(holdsKey(two, parseSshKey(one)))
  t.notOk(holdsKey(undefined, parseSshKey(one)))
  t.end()
})
