import { argon2, createHash, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { Context } from './context.ts'
import { childDn, parentDn } from './dn.ts'
import { attributesOf } from './entry.ts'
import { codeOf } from './results.ts'

/**
 * What is known of a stored password by its form alone: the kind of hash (`{SSHA}`, `{CRYPT}$6$`), or what is wrong with
 * it. A hash whose check would cost the directory more than a sign-in may is wrong too.
 */
export type HashForm = { kind: string; fault?: undefined } | { kind: string; fault: string }

export function hashForm(stored: string): HashForm {
  const [, scheme = '', rest = ''] = /^\{([A-Za-z0-9-]{1,20})\}(.*)$/s.exec(stored) ?? []
  const name = scheme.toUpperCase()
  if (name === '' || name === 'CLEARTEXT') return { kind: 'clear text', fault: 'is no hash' }
  if (name === 'CRYPT') return cryptForm(rest)
  const make = samples[name === 'ARGON2' ? `ARGON2 ${/^\$(\w+)\$/.exec(rest)?.[1] ?? ''}` : name]
  const kind = name === 'ARGON2' ? `{ARGON2}${/^\$\w{1,10}\$/.exec(rest)?.[0] ?? ''}` : `{${name}}`
  if (!make) return { kind, fault: 'is of a kind that is not known here' }
  if (name === 'ARGON2') return argon2Form(kind, rest)
  if (name.startsWith('PBKDF2')) return pbkdf2Form(kind, rest)
  const [algorithm, salted] = digests[name] as Digest
  const bytes = Buffer.from(rest, 'base64')
  const least = createHash(algorithm).digest().length
  const whole = bytes.toString('base64').replace(/=+$/, '') === rest.replace(/=+$/, '')
  const fits = salted ? bytes.length > least && bytes.length <= least + 64 : bytes.length === least
  return whole && fits ? { kind } : { kind, fault: 'is broken' }
}

/**
 * True when the server verifies hashes of this kind: found out on an entry that is made for it and goes again, with a
 * password hashed in that way. Asked once for each kind.
 */
export function openHashProbe(context: Context) {
  const known = new Map<string, Promise<boolean>>()
  return (kind: string): Promise<boolean> => {
    const answer = known.get(kind) ?? probe(context, kind)
    known.set(kind, answer)
    return answer
  }
}

async function probe({ pool, layout, log }: Context, kind: string): Promise<boolean> {
  const crypt = /^\{CRYPT\}(.*)$/.exec(kind)?.[1]
  const argon = /^\{ARGON2\}\$(\w+)\$/.exec(kind)?.[1]
  const password = crypt === undefined ? randomBytes(24).toString('base64url') : cryptPassword
  const stored =
    crypt === undefined
      ? await samples[argon ? `ARGON2 ${argon}` : kind.slice(1, -1)]?.(password)
      : crypts[crypt] && `{CRYPT}${crypts[crypt]}`
  if (!stored) return false
  const cn = `probe-${randomUUID()}`
  const dn = childDn('cn', cn, parentDn(layout.decoy))
  const objectClass = ['organizationalRole', 'simpleSecurityObject']
  try {
    await pool.write('create', (connection) =>
      connection.add(dn, attributesOf({ objectClass, cn, userPassword: stored })),
    )
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    log.warn({ dn, err: error }, 'LDAP does not take an entry to try a password hash on')
    return false
  }
  try {
    return await pool.verify(dn, password)
  } finally {
    await pool.write('remove', (connection) => connection.del(dn))
  }
}

type Digest = [algorithm: string, salted: boolean]
const digests: Record<string, Digest> = {
  ...{ MD5: ['md5', false], SMD5: ['md5', true], SHA: ['sha1', false], SSHA: ['sha1', true] },
  ...{ SHA256: ['sha256', false], SHA384: ['sha384', false], SHA512: ['sha512', false] },
  ...{ SSHA256: ['sha256', true], SSHA384: ['sha384', true], SSHA512: ['sha512', true] },
}
const pbkdf2s: Record<string, string> = {
  ...{ PBKDF2: 'sha1', 'PBKDF2-SHA1': 'sha1', 'PBKDF2-SHA256': 'sha256', 'PBKDF2-SHA512': 'sha512' },
}

/** A hash of a password in each kind that can be made here. */
const samples: Record<string, (password: string) => string | Promise<string>> = {
  ...Object.fromEntries(
    Object.entries(digests).map(([name, [algorithm, salted]]) => [
      name,
      (password: string) => {
        const salt = salted ? randomBytes(8) : Buffer.alloc(0)
        const hash = createHash(algorithm).update(password).update(salt).digest()
        return `{${name}}${Buffer.concat([hash, salt]).toString('base64')}`
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(pbkdf2s).map(([name, algorithm]) => [
      name,
      (password: string) => {
        const salt = randomBytes(16)
        const length = createHash(algorithm).digest().length
        const key = pbkdf2Sync(password, salt, 1000, length, algorithm)
        return `{${name}}1000$${adapted(salt)}$${adapted(key)}`
      },
    ]),
  ),
  ...Object.fromEntries(
    (['argon2i', 'argon2id'] as const).map((variant) => [
      `ARGON2 ${variant}`,
      async (password: string) => {
        const nonce = randomBytes(16)
        const cost = { memory: 1024, passes: 1, parallelism: 1, tagLength: 32 }
        const hash = await promisify(argon2)(variant, { message: password, nonce, ...cost })
        return `{ARGON2}$${variant}$v=19$m=1024,t=1,p=1$${bare(nonce)}$${bare(hash)}`
      },
    ]),
  ),
}

/** crypt(3) cannot be made here: what it made of one password, by how its results begin. */
const cryptPassword = 'probe of a hash'
const crypts: Record<string, string> = {
  '': 'abwxgfk9n94PY',
  $1$: '$1$saltsalt$pKy0173eRvIvHP0af9gpX0',
  $5$: '$5$saltsaltsalt$G5LTCKoxELFsahBb6XtaY.N4fqmpzXjPJxNuHtUVbbB',
  $6$: '$6$saltsaltsalt$NZY4agXpx/1wHBaC.m9kiXwHCQdyq0VJsSCrUIot3AqXhTwB5GmmGV4yDIbWMpja6FCoxObgkw5l9zKmCFisg.',
  $2a$: '$2a$05$abcdefghijklmnopqrstuuzVyFVoetMcIrg8qRKV5BPcB5Fqkg5Qi',
  $2b$: '$2b$05$abcdefghijklmnopqrstuuzVyFVoetMcIrg8qRKV5BPcB5Fqkg5Qi',
  $2y$: '$2y$05$abcdefghijklmnopqrstuuzVyFVoetMcIrg8qRKV5BPcB5Fqkg5Qi',
  $y$: '$y$j9T$saltsaltsaltsalt$PgqzEtOOGtr3aMw.yQSRg7hclVnZPf0QSQcozZsfJ1A',
}
const cryptForms: Record<string, RegExp> = {
  '': /^[./0-9A-Za-z]{13}$/,
  $1$: /^\$1\$[./0-9A-Za-z]{0,8}\$[./0-9A-Za-z]{22}$/,
  $5$: /^\$5\$(rounds=\d{4,6}\$)?[./0-9A-Za-z]{0,16}\$[./0-9A-Za-z]{43}$/,
  $6$: /^\$6\$(rounds=\d{4,6}\$)?[./0-9A-Za-z]{0,16}\$[./0-9A-Za-z]{86}$/,
  ...Object.fromEntries(
    ['a', 'b', 'y'].map((of) => [
      `$2${of}$`,
      new RegExp(`^\\$2${of}\\$(0[4-9]|1[0-4])\\$[./0-9A-Za-z]{53}$`),
    ]),
  ),
  $y$: /^\$y\$j[5-9A]T\$[./0-9A-Za-z]{0,86}\$[./0-9A-Za-z]{43}$/,
}

function cryptForm(rest: string): HashForm {
  const prefix = /^\$[0-9a-z]{1,8}\$/.exec(rest)?.[0] ?? ''
  const kind = `{CRYPT}${prefix}`
  const form = cryptForms[prefix]
  if (!form) return { kind, fault: 'is of a kind that is not known here' }
  return form.test(rest) ? { kind } : { kind, fault: 'is broken, or too costly to check' }
}

const most = { argon2Memory: 262_144, argon2Passes: 20, argon2Lanes: 16, iterations: 2_000_000 }

function argon2Form(kind: string, rest: string): HashForm {
  const form =
    /^\$argon2(?:i|id)\$v=\d+\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{16,88}$/
  const [, memory, passes, lanes] = form.exec(rest) ?? []
  if (memory === undefined) return { kind, fault: 'is broken' }
  const dear =
    Number(memory) > most.argon2Memory ||
    Number(passes) > most.argon2Passes ||
    Number(lanes) > most.argon2Lanes
  return dear ? { kind, fault: 'is too costly to check' } : { kind }
}

function pbkdf2Form(kind: string, rest: string): HashForm {
  const [, iterations] = /^(\d{1,10})\$[A-Za-z0-9./]{2,88}\$[A-Za-z0-9./]{20,128}$/.exec(rest) ?? []
  if (iterations === undefined) return { kind, fault: 'is broken' }
  return Number(iterations) > most.iterations ? { kind, fault: 'is too costly to check' } : { kind }
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** The base64 of passlib's and slapd's PBKDF2. */
function adapted(bytes: Buffer): string {
  return bare(bytes).replaceAll('+', '.')
}
