import { parseArgs } from 'node:util'
import type { ImportOptions } from './plan.ts'

export const usage = `npm run import -- --ldif FILE | --csv FILE | --ldap URL --bind-dn DN --base DN
  --apply                 do what is printed; without it nothing is changed
  --people-base DN        people are below this DN (LDIF, LDAP)
  --groups-base DN        groups are below this DN (LDIF, LDAP)
  --password-file FILE    holds the password of --bind-dn; else IMPORT_PASSWORD in the environment
  --start-tls             upgrade an ldap:// connection
  --drop-unknown-hashes   people whose password hash is not verified here come without a password
  --new-numbers           people whose uidNumber is taken or out of range get another
  --permission-groups     app_sso_* groups may gain members`

export type Arguments = {
  apply: boolean
  options: ImportOptions
  bases: { people?: string | undefined; groups?: string | undefined }
  from:
    | { kind: 'ldif' | 'csv'; file: string }
    | {
        kind: 'ldap'
        url: string
        bindDN: string
        base: string
        startTLS: boolean
        passwordFile: string | undefined
      }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** Throws an Error that says what is wrong with them. */
export function readArguments(args: string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      ...{ ldif: text, csv: text, ldap: text, 'bind-dn': text, base: text, 'password-file': text },
      ...{ 'people-base': text, 'groups-base': text, apply: flag, 'start-tls': flag },
      ...{ 'drop-unknown-hashes': flag, 'new-numbers': flag, 'permission-groups': flag },
    },
  })
  const { ldif, csv, ldap, base } = values
  if ([ldif, csv, ldap].filter((each) => each !== undefined).length !== 1)
    throw new Error('Give one of --ldif, --csv and --ldap.')
  return {
    apply: values.apply,
    options: {
      permissionGroups: values['permission-groups'],
      dropHashes: values['drop-unknown-hashes'],
      newNumbers: values['new-numbers'],
    },
    bases: { people: values['people-base'] ?? base, groups: values['groups-base'] ?? base },
    from:
      ldap === undefined
        ? { kind: csv === undefined ? 'ldif' : 'csv', file: (csv ?? ldif) as string }
        : directory(ldap, values),
  }
}

type Given = { 'bind-dn'?: string; base?: string; 'password-file'?: string; 'start-tls': boolean }

function directory(url: string, given: Given): Arguments['from'] {
  const { 'bind-dn': bindDN, base } = given
  if (!/^ldaps?:\/\/[^/]+\/?$/.test(url))
    throw new Error('--ldap must be a URL like ldaps://ldap.example.org.')
  if (!bindDN || !base) throw new Error('--ldap needs --bind-dn and --base.')
  return {
    kind: 'ldap',
    url,
    bindDN,
    base,
    startTLS: given['start-tls'],
    passwordFile: given['password-file'],
  }
}
