/** Files that plugins write, into one folder that the operator names: whole, or not there. */
import { randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

export type Files = ReturnType<typeof openFiles>

/** Longer than any run may take: what a pod that died left unfinished. */
const leftOverMilliseconds = 24 * 3_600_000

export function openFiles(config: Pick<Config, 'plugins'>) {
  return {
    /** A new file of this name's series; nothing is made before the first `append`. Disposing removes what was not kept. */
    begin(name: string) {
      let made: Promise<{ folder: string; path: string; handle: FileHandle }> | undefined
      let turn: Promise<unknown> = Promise.resolve()
      const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
        const done = turn.then(act).catch(refuse)
        turn = done.catch(() => {})
        return done
      }
      return {
        /** Throws InvalidInput without a folder, UpstreamFailure where it cannot be written. */
        append: (text: string): Promise<void> =>
          inTurn(async () => {
            made ??= create(config.plugins.folder, name)
            await (await made).handle.writeFile(text)
          }),
        /**
         * Puts the file in its place once it is on the disk, and removes all but the newest `most` of its series.
         * Answers its name.
         */
        keep: (ending: string, most: number): Promise<string> =>
          inTurn(async () => {
            if (!made) throw new Refusal('InvalidInput', 'Nothing was written.')
            const { folder, path, handle } = await made
            await handle.sync()
            await handle.close()
            const file = `${name}-${new Date().toISOString().replace(/[-:.]/g, '')}.${ending}`
            await rename(path, join(folder, file))
            made = undefined
            await synchronise(folder)
            await clear(folder, name, ending, most)
            return file
          }),
        async [Symbol.asyncDispose]() {
          await turn
          const left = await made?.catch(() => undefined)
          if (!left) return
          await left.handle.close().catch(() => {})
          await rm(left.path, { force: true })
        },
      }
    },
  }
}

async function create(folder: string, name: string) {
  if (folder === '') throw new Refusal('InvalidInput', 'plugins.folder names no folder to write to.')
  const path = join(folder, `.${name}-${randomBytes(8).toString('hex')}.part`)
  return { folder, path, handle: await open(path, 'wx', 0o600) }
}

/** A rename lasts once its folder is on the disk. */
async function synchronise(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

async function clear(folder: string, name: string, ending: string, most: number): Promise<void> {
  const all = await readdir(folder)
  const kept = new RegExp(`^${name}-\\d{8}T\\d{9}Z\\.${ending}$`)
  const old = all.filter((file) => kept.test(file)).sort()
  for (const file of old.slice(0, -most)) await rm(join(folder, file), { force: true })
  const unfinished = new RegExp(`^\\.${name}-[0-9a-f]{16}\\.part$`)
  for (const file of all.filter((file) => unfinished.test(file))) {
    const since = (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - since > leftOverMilliseconds) await rm(join(folder, file), { force: true })
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof Refusal) throw cause
  const code = (cause as NodeJS.ErrnoException).code ?? 'an error'
  throw new Refusal('UpstreamFailure', `The file could not be written: ${code}.`, { cause })
}
