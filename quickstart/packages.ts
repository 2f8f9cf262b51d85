import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Downloads packages of the distribution, with what they need and this machine lacks, and unpacks them into
 * `folder` without root: apt works on lists and a cache of its own, against the system's dpkg status. Nothing
 * outside of `folder` changes and no service starts. The folder appears whole or not at all, so that two runs
 * at a time do no harm.
 */
export async function unpackPackages(names: string[], folder: string): Promise<void> {
  const parent = resolve(folder, '..')
  await mkdir(parent, { recursive: true })
  const work = await mkdtemp(join(parent, 'unpacking-'))
  try {
    lists ??= fetchLists().catch((error) => {
      lists = undefined
      throw error
    })
    const options = { 'Dir::Cache::archives': join(work, 'archives') }
    await mkdir(join(work, 'archives/partial'), { recursive: true })
    await apt(
      await lists,
      options,
      'install',
      '--download-only',
      '--yes',
      '--no-install-recommends',
      ...names,
    )
    const archives = (await readdir(join(work, 'archives'))).filter((name) => name.endsWith('.deb'))
    for (const archive of archives)
      await run('dpkg', ['-x', join(work, 'archives', archive), join(work, 'root')])
    await rename(join(work, 'root'), folder).catch(async (error) => {
      if (!(await exists(folder))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What apt knows of packages, fetched once in a process and gone with it. */
let lists: Promise<string> | undefined

async function fetchLists(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-apt-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['state/lists/partial', 'cache']) await mkdir(join(folder, name), { recursive: true })
  await apt(folder, {}, 'update')
  return folder
}

/** True where packages can be unpacked: Debian, Ubuntu and their kin. */
export async function canUnpack(): Promise<boolean> {
  return (await exists('/usr/bin/apt-get')) && (await exists('/usr/bin/dpkg'))
}

/** Environment in which a program of an unpacked `root` finds its libraries. */
export async function libraryPath(root: string): Promise<Record<string, string>> {
  const lib = join(root, 'usr/lib')
  const triplets = (await readdir(lib).catch(() => []))
    .filter((name) => name.includes('-linux-gnu'))
    .map((name) => join(lib, name))
  // Two packages keep private libraries a folder deeper and would look for them under /usr/lib.
  const deeper = triplets.flatMap((folder) => [join(folder, 'nss'), join(folder, 'pulseaudio')])
  return { LD_LIBRARY_PATH: [...triplets, ...deeper, lib].join(':') }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function apt(folder: string, more: Record<string, string>, ...args: string[]): Promise<void> {
  const options = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(folder, 'cache'),
    ...more,
    'Debug::NoLocking': '1',
    // As root apt would hand the download to the user _apt, who may not enter this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', [...settings, '-qq', ...args], { maxBuffer: 1 << 26 })
}
