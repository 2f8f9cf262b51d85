import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { HashCost } from '#adapters/ldap/hash.ts'
import { argon2id } from '#adapters/ldap/hash.ts'
import type { Binaries } from './binaries.ts'
import type { Child, ChildOptions } from './child.ts'
import { freePort, startChild } from './child.ts'
import { exists } from './packages.ts'
import { keptSecret } from './secrets.ts'

const run = promisify(execFile)
const ownLdif = join(import.meta.dirname, 'ldap')

/**
 * glibc gives threads heaps of their own, and each keeps the 19 MiB that a password check took: 342 MiB after 20 checks
 * at once. With one heap it is 56, at the same speed (measured with npm run bench's seed).
 */
const oneArena = { MALLOC_ARENA_MAX: '1' }

export type SlapdOptions = {
  /** Everything of this slapd is in here. An existing one is started again with what it holds. */
  dir: string
  binaries: Pick<Binaries, 'slapd'>
  base?: string
  port?: number
  /** Without fsync: for tests. */
  nosync?: boolean
  /** Cost of password hashes; by default what OWASP asks for (19 MiB, 2 passes). Memory in KiB. */
  argon2?: HashCost
  /** PEM files; offers StartTLS, and LDAPS on a port of its own. */
  tls?: { certificate: string; key: string; ca?: string }
  onExit?: ChildOptions['onExit']
}

/** A running slapd: `bindDN` is the service's identity, `hostDN` reads for Linux hosts. */
export type Slapd = Child & {
  url: string
  ldapsUrl?: string
  base: string
  bindDN: string
  bindPassword: string
  hostDN: string
  hostPassword: string
  /** A password check that must fail, at the cost of a real one. */
  decoyDN: string
}

/**
 * Starts a private slapd on the loopback interface. The owner of the process manages its configuration and data
 * over `ldapi://` by SASL EXTERNAL (socket `ldapi` in `dir`); nobody else can.
 */
export async function startSlapd(options: SlapdOptions): Promise<Slapd> {
  const { binaries, base = 'dc=example,dc=org' } = options
  const dir = resolve(options.dir)
  await mkdir(join(dir, 'db'), { recursive: true, mode: 0o700 })
  const [bindPassword, hostPassword, port, ldapsPort] = await Promise.all([
    keptSecret(join(dir, 'latchkey.password')),
    keptSecret(join(dir, 'host.password')),
    options.port ?? freePort(),
    options.tls ? freePort() : undefined,
  ])
  await writeConfiguration(dir, base, options)
  if (!(await exists(join(dir, 'db/data.mdb'))))
    await writeEntries(dir, base, bindPassword, hostPassword, options)

  const url = `ldap://127.0.0.1:${port}`
  const ldapsUrl = ldapsPort && `ldaps://127.0.0.1:${ldapsPort}`
  const child = await startChild({
    command: binaries.slapd.path,
    // The path of a socket is 107 bytes at most: relative to cwd any depth of folder works.
    args: ['-F', 'conf', '-h', [url, ldapsUrl, 'ldapi://ldapi/'].filter(Boolean).join(' '), '-d', '0'],
    cwd: dir,
    env: { ...oneArena, ...binaries.slapd.env },
    // The pid file is written once the sockets are bound: it is this slapd that has the port, not another.
    ready: async (pid) =>
      Number(await readFile(join(dir, 'slapd.pid'), 'utf8').catch(() => '')) === pid && accepts(port),
    onExit: options.onExit,
  })
  const identities = {
    ...{ url, base, bindDN: `cn=latchkey,ou=services,${base}`, bindPassword },
    ...{ hostDN: `cn=host,ou=services,${base}`, hostPassword, decoyDN: `cn=decoy,ou=services,${base}` },
    ...(ldapsUrl ? { ldapsUrl } : {}),
  }
  return Object.defineProperties(identities, Object.getOwnPropertyDescriptors(child)) as Slapd
}

/** slapd's configuration is derived: written anew when its template, the folder or an option changed. */
async function writeConfiguration(dir: string, base: string, options: SlapdOptions): Promise<void> {
  const { slapd } = options.binaries
  const { memory, passes } = cost(options)
  const ldif = await fill('config.ldif', {
    DIR: dir,
    BASE: base,
    MODULES: slapd.modules,
    SCHEMA: slapd.schema,
    OWN: ownLdif,
    ARGON2: `m=${memory} t=${passes} p=1`,
    UID: String(process.getuid?.() ?? 0),
    GID: String(process.getgid?.() ?? 0),
    TLS: tlsLines(options.tls),
    ENVFLAGS: options.nosync ? 'olcDbEnvFlags: nosync' : '',
  })
  const file = join(dir, 'config.ldif')
  if ((await readFile(file, 'utf8').catch(() => '')) === ldif && (await exists(join(dir, 'conf')))) return
  await rm(join(dir, 'conf'), { recursive: true, force: true })
  await mkdir(join(dir, 'conf'), { mode: 0o700 })
  await rm(file, { force: true })
  await writeFile(`${file}.new`, ldif, { mode: 0o600 })
  await slapadd(dir, slapd, ['-n', '0', '-l', `${file}.new`])
  await rename(`${file}.new`, file)
}

async function writeEntries(
  dir: string,
  base: string,
  bindPassword: string,
  hostPassword: string,
  options: SlapdOptions,
) {
  const ldif = await fill('entries.ldif', {
    BASE: base,
    DC: /^dc=([^,]+)/i.exec(base)?.[1] ?? 'directory',
    // Random 256 bits need no slow hash, and connections are opened often.
    LATCHKEY: saltedSha512(bindPassword),
    HOST: saltedSha512(hostPassword),
    DECOY: await argon2id(randomBytes(32).toString('base64url'), cost(options)),
  })
  const file = join(dir, 'entries.ldif')
  await writeFile(file, ldif, { mode: 0o600 })
  await slapadd(dir, options.binaries.slapd, ['-n', '1', '-q', '-l', file]).catch(async (error) => {
    await rm(join(dir, 'db/data.mdb'), { force: true })
    throw error
  })
  await rm(file)
}

async function slapadd(dir: string, slapd: Binaries['slapd'], args: string[]): Promise<void> {
  const env = { ...process.env, ...slapd.env }
  // slapd, slapadd and the others are one binary.
  await run(slapd.path, ['-T', 'add', '-F', 'conf', ...args], { cwd: dir, env }).catch((cause) => {
    throw new Error(`slapd refused its configuration: ${cause.stderr || cause.message}`, { cause })
  })
}

/** A template of ldap/ with its @NAME@s filled in; lines that become empty go (an empty line ends an entry). */
async function fill(name: string, values: Record<string, string>): Promise<string> {
  const template = await readFile(join(ownLdif, name), 'utf8')
  return template
    .replace(/^@(TLS|ENVFLAGS|SERVERID|ROOTPW|REPLICATION)@\n/gm, (_, key: string) =>
      values[key] ? `${values[key]}\n` : '',
    )
    .replace(/@([A-Z0-9]+)@/g, (whole, key: string) => values[key] ?? whole)
}

function tlsLines(tls: SlapdOptions['tls']): string {
  if (!tls) return ''
  const lines = [
    `olcTLSCertificateFile: ${resolve(tls.certificate)}`,
    `olcTLSCertificateKeyFile: ${resolve(tls.key)}`,
  ]
  if (tls.ca) lines.push(`olcTLSCACertificateFile: ${resolve(tls.ca)}`)
  return lines.join('\n')
}

/** What slapd itself hashes with, should somebody else than the service set a password. */
function cost({ argon2 = { memory: 19_456, passes: 2 } }: SlapdOptions): HashCost {
  return argon2
}

function saltedSha512(password: string): string {
  const salt = randomBytes(16)
  const hash = createHash('sha512').update(password).update(salt).digest()
  return `{SSHA512}${Buffer.concat([hash, salt]).toString('base64')}`
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.on('error', () => done(false))
  })
}
