import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
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
    await mkdir(join(work, 'state/lists/partial'), { recursive: true })
    await mkdir(join(work, 'cache/archives/partial'), { recursive: true })
    await apt(work, 'update')
    await apt(work, 'install', '--download-only', '--yes', '--no-install-recommends', ...names)
    const archives = (await readdir(join(work, 'cache/archives'))).filter((name) => name.endsWith('.deb'))
    for (const archive of archives)
      await run('dpkg', ['-x', join(work, 'cache/archives', archive), join(work, 'root')])
    await rename(join(work, 'root'), folder).catch(async (error) => {
      if (!(await exists(folder))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
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

async function apt(work: string, ...args: string[]): Promise<void> {
  const options = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    'Debug::NoLocking': '1',
    // As root apt would hand the download to the user _apt, who may not enter this folder.
    ...(process.getuid?.() === 0 ? { 'APT::Sandbox::User': 'root' } : {}),
  }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', [...settings, '-qq', ...args], { maxBuffer: 1 << 26 })
}
