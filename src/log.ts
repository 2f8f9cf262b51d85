import type { Logger } from 'pino'
import pino from 'pino'
import type { Config } from './settings.ts'

const secretNames = [
  'password',
  'confirm',
  'current',
  'token',
  'client_secret',
  'code',
  'code_verifier',
  'authToken',
  'pass',
]

/** The one logger: JSON lines on standard output, secrets redacted wherever an object carries them. */
export function openLog(config: Pick<Config, 'log'>): Logger {
  return pino(
    {
      level: config.log.level,
      base: null,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '********' },
      serializers: { err: pino.stdSerializers.err },
    },
    // Lines leave together, a tenth of a second late at most: one write for each would cost more than the line.
    pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 }),
  )
}

const secretPaths = /(\/(?:resetpassword|invite|verify)\/)[^?#]+/
const secretQuery =
  /([?&](?:code|token|state|nonce|code_challenge|code_verifier|id_token_hint|client_secret|access_token|refresh_token|request_uri|login_hint|user_code|return_to)=)[^&#]*/g

/** A URL fit for the access log: tokens in paths and secrets in the query are masked (attacks row 19). */
export function maskUrl(url: string): string {
  return url.replace(secretPaths, '$1********').replace(secretQuery, '$1********')
}
