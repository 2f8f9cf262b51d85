import { readdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { Program } from '#quickstart/binaries.ts'
import { canUnpack, exists, libraryPath, unpackPackages } from '#quickstart/packages.ts'
import { testDataDir } from './data-dir.ts'

export type Apache = Program & { modules: string }
export type Tools = { folder: string; env: Record<string, string> }

/**
 * Chromium of this machine, else the distribution's, unpacked into `.data/headless-shell`: without the windows, which nobody
 * sees and which cost half of its time.
 */
export async function findBrowser(say: (line: string) => void = () => {}): Promise<Program> {
  for (const name of [
    'chromium-headless-shell',
    'chromium',
    'google-chrome-stable',
    'google-chrome',
    'chrome',
  ]) {
    const path = await onPath(name)
    if (path) return { path, env: {} }
  }
  const root = join(testDataDir, 'headless-shell/root')
  const path = join(root, 'usr/lib/chromium/chromium-headless-shell')
  await bring(path, root, ['chromium-headless-shell', 'fonts-dejavu-core', 'fontconfig-config'], say)
  // Where no fonts are installed, these are the only ones.
  const fonts = join(testDataDir, 'headless-shell/fonts.conf')
  const folders = [join(root, 'usr/share/fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`)
  const cache = `<cachedir>${join(testDataDir, 'headless-shell/font-cache')}</cachedir>`
  await writeFile(fonts, `<?xml version="1.0"?>\n<fontconfig>${folders.join('')}${cache}</fontconfig>\n`)
  return { path, env: { ...(await libraryPath(root)), FONTCONFIG_FILE: fonts } }
}

/** Apache with mod_auth_openidc from the distribution, unpacked into `.data/apache`: no service of it ever starts. */
export async function findApache(say: (line: string) => void = () => {}): Promise<Apache> {
  const modules = '/usr/lib/apache2/modules'
  const installed = (await exists('/usr/sbin/apache2')) && (await exists(`${modules}/mod_auth_openidc.so`))
  if (installed) return { path: '/usr/sbin/apache2', env: {}, modules }
  const root = join(testDataDir, 'apache/root')
  const path = join(root, 'usr/sbin/apache2')
  await bring(path, root, ['apache2-bin', 'libapache2-mod-auth-openidc'], say)
  return { path, env: await libraryPath(root), modules: join(root, modules) }
}

/** nginx from the distribution, with the modules it is built with and no others. */
export async function findNginx(say: (line: string) => void = () => {}): Promise<Program> {
  const installed = '/usr/sbin/nginx'
  if (await exists(installed)) return { path: installed, env: {} }
  const root = join(testDataDir, 'nginx/root')
  const path = join(root, 'usr/sbin/nginx')
  await bring(path, root, ['nginx'], say)
  return { path, env: await libraryPath(root) }
}

/** The environment in which a program's clock is off by some seconds: libfaketime of the distribution. */
export async function clockOff(seconds: number, say: (line: string) => void = () => {}) {
  const name = `faketime/libfaketime.so.1`
  const folder = (await readdir('/usr/lib')).find((each) => each.includes('-linux-gnu')) ?? ''
  const root = join(testDataDir, 'faketime/root')
  const installed = join('/usr/lib', folder, name)
  const path = (await exists(installed)) ? installed : join(root, 'usr/lib', folder, name)
  await bring(path, root, ['libfaketime'], say)
  const offset = `${seconds < 0 ? '' : '+'}${seconds}s`
  // Time spans stay as they are: only the time of day is off.
  return { LD_PRELOAD: path, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** A Python with Authlib and requests, from the distribution: the machine's own Python where it is the distribution's. */
export async function findAuthlib(say: (line: string) => void = () => {}): Promise<Program> {
  const packages = 'usr/lib/python3/dist-packages'
  const [own, root] = ['/usr/bin/python3', join(testDataDir, 'authlib/root')]
  const hasAll = (at: string) =>
    Promise.all(['authlib', 'requests'].map((name) => exists(join(at, packages, name))))
  if ((await exists(own)) && (await hasAll('/')).every(Boolean)) return { path: own, env: {} }
  await bring(join(root, packages, 'authlib'), root, ['python3', 'python3-authlib', 'python3-requests'], say)
  const brought = join(root, 'usr/bin/python3')
  if (!(await exists(brought))) return { path: own, env: { PYTHONPATH: join(root, packages) } }
  return { path: brought, env: { ...(await libraryPath(root)), PYTHONHOME: join(root, 'usr') } }
}

/** `ldapsearch`, `ldapwhoami` and their kin, from the distribution. */
export async function findLdapTools(say: (line: string) => void = () => {}): Promise<Tools> {
  const installed = await onPath('ldapsearch')
  if (installed) return { folder: dirname(installed), env: {} }
  const root = join(testDataDir, 'ldap-utils/root')
  const folder = join(root, 'usr/bin')
  await bring(join(folder, 'ldapsearch'), root, ['ldap-utils'], say)
  return { folder, env: await libraryPath(root) }
}

async function bring(path: string, root: string, packages: string[], say: (line: string) => void) {
  if (await exists(path)) return
  const names = packages.join(' ')
  const hint = `Install them first, for example: sudo apt-get install --no-install-recommends ${names}`
  if (!(await canUnpack())) throw new Error(`The tests need ${names}. ${hint}`)
  say(`Fetching ${names} from the distribution (unpacked privately, nothing is installed) …`)
  await unpackPackages(packages, root)
  if (!(await exists(path))) throw new Error(`The packages ${names} hold no ${path}. ${hint}`)
}

async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    if (folder && (await exists(join(folder, name)))) return join(folder, name)
  return undefined
}
