import { copyFile, mkdir } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { canUnpack, exists, libraryPath, unpackPackages } from './packages.ts'

/** A server program and the environment it needs (libraries of unpacked packages). */
export type Program = { path: string; env: Record<string, string> }
/** The servers of the quick start; slapd comes with the folders of its modules and of OpenLDAP's own schema. */
export type Binaries = { slapd: Program & { modules: string; schema: string }; redis: Program }

const neededModules = ['back_mdb', 'argon2', 'pw-sha2', 'ppolicy', 'unique', 'refint', 'syncprov', 'sssvlv']
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/libexec', '/usr/lib/openldap']

/**
 * slapd and redis-server of this machine (PATH and the usual folders), else the distribution's packages unpacked
 * into `<dataDir>/servers`. Throws an Error that says what to install where neither is possible.
 */
export async function findBinaries(
  dataDir: string,
  say: (line: string) => void = () => {},
): Promise<Binaries> {
  const folder = resolve(dataDir, 'servers')
  const [ownSlapd, ownRedis] = await Promise.all([systemSlapd(folder), systemRedis()])
  if (ownSlapd && ownRedis) return { slapd: ownSlapd, redis: ownRedis }
  const kept = await unpacked(folder)
  if (kept) return { slapd: ownSlapd ?? kept.slapd, redis: ownRedis ?? kept.redis }

  if (!(await canUnpack())) throw new Error(whatToInstall(!ownSlapd, !ownRedis))
  say('Fetching OpenLDAP and Redis from the distribution (unpacked privately, nothing is installed) …')
  await unpackPackages(['slapd', 'redis-server'], join(folder, 'root')).catch((cause) => {
    throw new Error(
      `${whatToInstall(!ownSlapd, !ownRedis)}\nFetching them failed: ${cause.stderr || cause.message}`,
      { cause },
    )
  })
  const fresh = await unpacked(folder)
  if (!fresh) throw new Error(whatToInstall(!ownSlapd, !ownRedis))
  return { slapd: ownSlapd ?? fresh.slapd, redis: ownRedis ?? fresh.redis }
}

async function unpacked(folder: string): Promise<Binaries | undefined> {
  const root = join(folder, 'root')
  if (!(await exists(join(root, 'usr/lib')))) return undefined
  const env = await libraryPath(root)
  const slapd = {
    path: join(root, 'usr/sbin/slapd'),
    env,
    modules: join(root, 'usr/lib/ldap'),
    schema: join(root, 'etc/ldap/schema'),
  }
  const redis = { path: join(root, 'usr/bin/redis-server'), env }
  // redis-check-rdb is the binary, redis-server a link to it; both come with redis-tools.
  return (await exists(slapd.path)) && (await exists(redis.path)) ? { slapd, redis } : undefined
}

async function systemSlapd(folder: string): Promise<Binaries['slapd'] | undefined> {
  const found = await onPath('slapd')
  const modules = await firstWith(
    ['/usr/lib/ldap', '/usr/lib64/openldap', '/usr/lib/openldap', '/usr/local/libexec/openldap'],
    neededModules,
  )
  const schema = await firstOf(['/etc/ldap/schema', '/etc/openldap/schema', '/usr/local/etc/openldap/schema'])
  if (!found || !modules || !schema) return undefined
  // Ubuntu's AppArmor confines slapd by its path to /var/lib/ldap: a copy elsewhere is free of that.
  if (!(await exists('/etc/apparmor.d/usr.sbin.slapd'))) return { path: found, env: {}, modules, schema }
  await mkdir(folder, { recursive: true })
  await copyFile(found, join(folder, 'slapd'))
  return { path: join(folder, 'slapd'), env: {}, modules, schema }
}

async function systemRedis(): Promise<Program | undefined> {
  const path = (await onPath('redis-server')) ?? (await onPath('valkey-server'))
  return path ? { path, env: {} } : undefined
}

async function onPath(name: string): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...systemFolders]
  return firstOf(folders.map((folder) => join(folder, name)))
}

async function firstOf(paths: string[]): Promise<string | undefined> {
  for (const path of paths) if (await exists(path)) return path
  return undefined
}

async function firstWith(folders: string[], modules: string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const there = await Promise.all(
      modules.map((name) => firstOf([`${folder}/${name}.la`, `${folder}/${name}.so`])),
    )
    if (there.every(Boolean)) return folder
  }
  return undefined
}

function whatToInstall(slapd: boolean, redis: boolean): string {
  const missing = [
    slapd && 'OpenLDAP 2.5 or later (slapd)',
    redis && 'Redis 6.2 or later (redis-server)',
  ].filter(Boolean)
  return `The quick start needs ${missing.join(' and ')}, found neither on the PATH nor in the usual folders.
Install with one of:
  Debian, Ubuntu:  sudo apt-get install --no-install-recommends slapd redis-server
  Fedora, RHEL:    sudo dnf install openldap-servers redis
  Alpine:          sudo apk add openldap openldap-back-mdb openldap-overlay-all redis
  Arch:            sudo pacman -S openldap redis
or run the whole in containers: docker compose up`
}
