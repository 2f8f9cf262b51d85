import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const project = join(import.meta.dirname, '..')
const dist = join(import.meta.dirname, 'dist')

/** What the built files are made of, beside the portal's own folder. */
export const ingredients = [
  'package-lock.json',
  'views/assets/tokens.css',
  'src/oauth/redirect-uri.ts',
  'docs/apps.md',
]

/** True when `portal/dist` is not what these sources make, by their content. */
export async function isStale(): Promise<boolean> {
  const made = await readFile(join(dist, 'made-of'), 'utf8').catch(() => undefined)
  return made !== (await digest())
}

/** Builds `portal/dist`, which appears whole or not at all, so that two builds at a time do no harm. */
export async function build(): Promise<void> {
  const madeOf = await digest()
  const { build: viteBuild } = await import('vite')
  const work = await mkdtemp(`${dist}-`)
  try {
    const outDir = join(work, 'new')
    await viteBuild({
      configFile: join(import.meta.dirname, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    })
    await compress(join(outDir, 'assets'))
    await writeFile(join(outDir, 'made-of'), madeOf)
    await rename(dist, join(work, 'old')).catch(ignoreMissing)
    // Whoever builds at the same time makes the same.
    await rename(outDir, dist).catch(async (error) => {
      if (await isStale()) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Beside each file what a browser is sent that takes it compressed. */
async function compress(folder: string): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
  await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const file = join(folder, name)
      const plain = await readFile(file)
      await writeFile(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }))
      await writeFile(`${file}.br`, await promisify(brotliCompress)(plain, brotli))
    }),
  )
}

async function digest(): Promise<string> {
  const own = await readdir(import.meta.dirname, { recursive: true, withFileTypes: true })
  const files = own
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(project, join(parentPath, name)))
    .filter((path) => !/^portal\/(dist|generated)/.test(path))
  const hash = createHash('sha256')
  for (const path of [...files.sort(), ...ingredients])
    hash.update(`${path}\0`).update(await readFile(join(project, path)))
  return hash.digest('hex')
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** npm run build: what is up to date stays as it is. */
if (import.meta.main && (await isStale())) await build()
