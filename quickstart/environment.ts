import { join } from 'node:path'
import type { Servers } from './servers.ts'

export type Environment = Record<string, string | undefined>

/** What the service is told by a quick start; a name that the user's environment gives counts before. */
export function environmentOf({
  servers,
  secret,
  port,
  env,
  catchers,
}: {
  servers: Servers
  secret: string
  port: number
  env: Environment
  catchers?: { mail: { host: string; port: number }; sms: { url: string } }
}): Environment {
  const { ldap, redis } = servers
  return {
    app_ldap__url: ldap.url,
    app_ldap__base: ldap.base,
    app_ldap__bindDN: ldap.bindDN,
    app_ldap__bindPassword: ldap.bindPassword,
    app_redis__url: redis.url,
    OAUTH_ISSUER: `http://localhost:${port}`,
    JWT_SECRET: secret,
    ...(catchers && {
      app_smtp__host: catchers.mail.host,
      app_smtp__port: String(catchers.mail.port),
      app_sms__accountSid: 'AC00000000000000000000000000000000',
      app_sms__authToken: 'quickstart',
      app_sms__from: '+15005550006',
      app_sms__url: catchers.sms.url,
    }),
    app_log__level: 'warn',
    ...env,
    app_listen__port: String(port),
  }
}

/** Where slapd lets its owner manage the directory and read its settings, for `npm run restore` and `npm run doctor`. */
export function managing(dataDir: string): Environment {
  const socket = `ldapi://${encodeURIComponent(join(dataDir, 'ldap/ldapi'))}`
  return { RESTORE_LDAP_URL: socket, DOCTOR_LDAP_URL: socket }
}

/** The settings of the service among these, and the names of its programs, as a file that a shell reads (`. file`). */
export function forShells(settings: Environment): string {
  const lines = Object.entries(settings)
    .filter(([name]) => /^(app_|OAUTH_ISSUER$|JWT_SECRET$|RESTORE_|DOCTOR_)/.test(name))
    .map(([name, value = '']) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
  return lines.join('')
}
