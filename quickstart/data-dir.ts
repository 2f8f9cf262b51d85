import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Takes the data folder for this process, until disposed. Throws an Error with a sentence for the user when another
 * quick start has it. What a killed one left behind is taken over.
 */
export async function takeDataDir(dir: string): Promise<AsyncDisposable> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const lock = join(dir, 'quickstart.lock')
  const take = () => writeFile(lock, String(process.pid), { mode: 0o600, flag: 'wx' })
  await take().catch(async (error) => {
    if (error.code !== 'EEXIST') throw error
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (await isQuickStart(pid))
      throw new Error(`Another quick start (process ${pid}) uses ${dir}: stop it first, or set DATA_DIR.`)
    await rm(lock, { force: true })
    await take()
  })
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
}

/** Writes a file that only its owner may read; it appears whole. An object becomes JSON. */
export async function writePrivate(file: string, content: object | string): Promise<void> {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  await writeFile(`${file}.part`, text, { mode: 0o600 })
  await rename(`${file}.part`, file)
}

/** The path of a file that is there while a quick start runs: none that a killed one left, and none after it. */
export async function passingFile(
  dataDir: string,
  name: string,
  opened: AsyncDisposableStack,
): Promise<string> {
  const file = join(dataDir, name)
  await rm(file, { force: true })
  opened.defer(() => rm(file, { force: true }))
  return file
}

export async function readJson<T>(file: string): Promise<T | undefined> {
  return readFile(file, 'utf8').then(JSON.parse, () => undefined)
}

async function isQuickStart(pid: number): Promise<boolean> {
  if (!pid || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // After a crash the number may have gone to another program.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'quickstart')
  return command.includes('quickstart')
}
