import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const project = join(import.meta.dirname, '..')

/**
 * Writes `dist/<name>/main.js`, and answers its path: the service and its packages in a few files, in the place of 1,600
 * modules whose finding takes half a start. The image starts `dist/service`. What is rarely needed stays a file that is
 * loaded when it is, and Twilio and pino stay packages: they load files of their own by name. The folder is as deep as those of
 * `src`, so that paths from there lead where they led.
 */
export async function buildBundle(name = 'service'): Promise<string> {
  const dir = join(project, 'dist', name)
  await using build = await rolldown({
    cwd: project,
    input: { main: 'src/main.ts', child: 'src/plugins/child.ts' },
    platform: 'node',
    external: ['twilio', 'pino'],
    checks: { eval: false }, // in depd, which koa brings
  })
  await rm(dir, { recursive: true, force: true })
  await build.write({ dir, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  return join(dir, 'main.js')
}

/** The command of the image, for what measures or tests what is run. */
export async function imageCommand(): Promise<string[]> {
  const [, command] = /^CMD (\[.*\])$/m.exec(await readFile(join(project, 'Dockerfile'), 'utf8')) ?? []
  return JSON.parse(String(command))
}

if (import.meta.main) await buildBundle()
