/**
 * What the service does for runs of plugins: each call is bounded, checked like a request from outside, and done in the
 * name of the instance, which stands in the audit log as `plugin:<id>`.
 */
import type { PluginRecord } from '#adapters/redis/plugins.ts'
import type { Deps } from '#src/deps.ts'
import { madeBy, putFound, removeFound } from '#src/directory/found.ts'
import { Refusal } from '#src/errors.ts'
import type { PeopleDeps } from './people-calls.ts'
import { peopleCalls } from './people-calls.ts'
import type { Calls, Needed } from './type.ts'

export type CallDeps = Pick<Deps, 'egress' | 'store' | 'audit' | 'directory' | 'files'> & PeopleDeps

const mostAtOnce = 100
const mostFiles = 1000

/** What a run of an instance may call: requests, and what its type declares. To be disposed of when it ended. */
export function callsFor(deps: CallDeps, record: PluginRecord, needs: Needed = {}) {
  const actor = `plugin:${record.id}`
  const { answerBytes, resources, directory, people, file } = needs
  const entries = directory ? entryCalls(deps) : undefined
  const files = file === undefined ? undefined : fileCalls(deps, actor, record, file)
  const served: Partial<Calls> = {
    request: (address, sending) =>
      deps.egress.send(address, sending, answerBytes === undefined ? {} : { answerBytes }),
    ...(resources ? resourceCalls(deps, actor) : {}),
    ...(people ? peopleCalls(deps, actor) : {}),
    ...entries?.served,
    ...files?.served,
  }
  return {
    served,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([entries?.end(), files?.end()])
    },
  }
}

function resourceCalls(deps: CallDeps, actor: string) {
  return {
    resourcesMade: () => madeBy(deps, actor),
    async putResources(below, found) {
      assertList(found)
      return putFound(deps, actor, String(below), found)
    },
    async removeResources(sources) {
      assertList(sources)
      return removeFound(deps, actor, sources)
    },
  } satisfies Partial<Calls>
}

function entryCalls({ directory }: CallDeps) {
  let pages: ReturnType<typeof directory.dump> | undefined
  return {
    served: {
      async nextEntries(wanted) {
        pages ??= directory.dump({ hashes: wanted?.hashes === true })
        return (await pages.next()).value ?? null
      },
    } satisfies Partial<Calls>,
    end: () => pages?.return(undefined),
  }
}

function fileCalls({ files, audit }: CallDeps, actor: string, { id, slug }: PluginRecord, ending: string) {
  const file = files.begin(slug)
  let characters = 0
  return {
    served: {
      async appendFile(text) {
        characters += String(text).length
        await file.append(String(text))
      },
      async keepFile(most) {
        const name = await file.keep(ending, Math.min(Math.max(Number(most) || 1, 1), mostFiles))
        const detail = { id, file: name, characters }
        audit.append({ actor, address: '', action: 'plugin.file', target: slug, outcome: 'ok', detail })
        return name
      },
    } satisfies Partial<Calls>,
    end: () => file[Symbol.asyncDispose](),
  }
}

function assertList(given: unknown[]): void {
  if (Array.isArray(given) && given.length <= mostAtOnce) return
  throw new Refusal('InvalidInput', `At most ${mostAtOnce} at once.`)
}
