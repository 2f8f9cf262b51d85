import type { Config } from '#src/settings.ts'
import type { Check } from './findings.ts'
import { error, note, ok, warning } from './findings.ts'

const leastBits = 128

/** What can be said of the settings by themselves: `faults` are those a pod would not start with. */
export function settingsCheck(config: Config, faults: string[]): Check {
  return {
    name: 'settings',
    run: async () => [
      ...faults.map((fault) =>
        error(
          fault,
          'A pod does not start with it.',
          'Mend this name in the environment (docs/configuration.md).',
        ),
      ),
      ...(faults.length === 0 ? [ok('every setting can be read')] : []),
      ...secrets(config),
      ...ways(config),
    ],
  }
}

function secrets({ oauth, seal, ldap, redis }: Config) {
  const weak = (name: string, secret: string) =>
    bitsOf(secret) < leastBits
      ? [
          warning(
            `${name} looks guessable (${Math.floor(bitsOf(secret))} bits by its characters)`,
            'Sessions, tokens and sealed secrets are only as strong as it is.',
            'Make one with: openssl rand -base64 48. A new signing secret ends all sessions; for app_seal__key see npm run reseal.',
          ),
        ]
      : [ok(`${name} is long and mixed`)]
  const { password, hostname } = new URL(redis.url)
  return [
    ...weak('JWT_SECRET', oauth.jwtSecret),
    ...(seal.key
      ? weak('app_seal__key', seal.key)
      : [
          note(
            'app_seal__key is not set',
            'Stored secrets and the seals of the audit log hang on the environment’s signing secret.',
            'Set one at leisure: docs/configuration.md says how to move to it (npm run reseal).',
          ),
        ]),
    ...(ldap.bindPassword.length < 16
      ? [
          warning(
            'app_ldap__bindPassword has fewer than 16 characters',
            'Whoever guesses it may write the whole directory.',
            'Give the service’s identity a random password: openssl rand -hex 32.',
          ),
        ]
      : []),
    ...(!password && !isLoopback(hostname)
      ? [
          error(
            'Redis is used without a password',
            'Whoever reaches its port reads sessions and writes grants.',
            'Set requirepass (or an ACL user) in Redis and name it in app_redis__url.',
          ),
        ]
      : []),
  ]
}

/** Clear text on a network is no fault of a private one, and is said. */
function ways({ ldap, redis, smtp }: Config) {
  const clear = ldap.url.filter(
    (url) => url.startsWith('ldap:') && !ldap.startTLS && !isLoopback(new URL(url).hostname),
  )
  const plainRedis = redis.url.startsWith('redis:') && !isLoopback(new URL(redis.url).hostname)
  return [
    ...[...clear, ...(plainRedis ? ['redis'] : [])].map((name) =>
      note(
        `the connection to ${name} is not encrypted`,
        'Passwords and sessions can be read by whoever hears that network.',
        'Use ldaps:// or app_ldap__startTLS=true, and rediss://, unless the network is private to these machines.',
      ),
    ),
    ...(!ldap.tls.verify || !smtp.verify
      ? [
          warning(
            'a certificate is not verified (app_ldap__tls__verify or app_smtp__verify is false)',
            'Anybody on the way can pose as that server and read what is sent to it.',
            'Give the authority’s certificate (app_ldap__tls__ca; NODE_EXTRA_CA_CERTS for others) and verify it.',
          ),
        ]
      : []),
  ]
}

/** Shannon's measure over the characters it has: an upper bound, so what falls short is short. */
function bitsOf(secret: string): number {
  const counts = new Map<string, number>()
  for (const character of secret) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count * Math.log2(count / secret.length)
  return bits
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname)
}
