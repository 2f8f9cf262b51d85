/**
 * The settings as they stand: the environment's, and over them what was stored at run time. `config` is one tree for the
 * whole process and is changed in place, leaf by leaf in one turn of the event loop, so whoever reads it where it is used
 * follows. A pod looks for changes when the bus tells of one, after a gap of the bus, and twice a second beside: silence of
 * the bus alone makes no pod late.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { StoredConf } from '#adapters/redis/conf.ts'
import { givenTo, unusable } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { crossFaults, leafFault } from '#src/setting-faults.ts'
import type { Config, Leaf } from '#src/settings.ts'
import { leaves, place, valueAt } from '#src/settings.ts'

export type Source = 'default' | 'environment' | 'stored'
export type Standing = Awaited<ReturnType<typeof openStanding>>
type Handler = (changed: ReadonlySet<string>) => void

const lookMilliseconds = 500

/**
 * Applies to `config` what is stored, before anything is built from it, and follows from then on. Throws an Error with
 * every fault when what is stored cannot be read or does not go together with the environment.
 */
export async function openStanding({ config, store, log }: Pick<Deps, 'config' | 'store' | 'log'>) {
  const environment = structuredClone(config)
  const given = givenTo(config)
  const handlers: Handler[] = []
  let standing: StoredConf = { version: '', era: '', values: new Map(), unreadable: [] }
  let inForce: ReadonlySet<string> = new Set()
  let refused: string | undefined

  async function look(): Promise<void> {
    const stored = await store.conf.read()
    if (stored.version === standing.version || stored.version === refused) return
    const next = treeOf(environment, stored)
    const faults = [
      ...stored.unreadable.map((path) => `${path}: is stored, sealed with another key than ours (seal.key)`),
      ...crossFaults(next, (path) => path.join('.')),
    ]
    if (faults.length > 0) {
      refused = stored.version
      throw unusable(faults)
    }
    const secret = next.oauth.jwtSecret
    const voids = stored.era !== standing.era || secret !== config.oauth.jwtSecret
    const follow = voids ? await store.keys.follow(secret, stored.era) : () => {}
    // All of it in one turn.
    const changed = new Set<string>()
    for (const { path } of leaves()) {
      const value = valueAt(next, path)
      if (isDeepStrictEqual(value, valueAt(config, path))) continue
      changed.add(path.join('.'))
      place(config, path, value)
    }
    follow()
    if (voids) changed.add('oauth.jwtSecret')
    standing = stored
    inForce = new Set(usable(stored).map(({ path }) => path.join('.')))
    log.info({ changed: [...changed] }, 'settings adopted')
    for (const handler of handlers) handler(changed)
  }

  let turn = look()
  await turn
  // Bound to no request: what is renewed by a change belongs to the time after it.
  const refresh = AsyncLocalStorage.bind((): Promise<void> => {
    turn = turn.catch(() => {}).then(look)
    return turn
  })
  const lookAgain = () => {
    refresh().catch((err) => log.error({ err }, 'the settings stay as they were'))
  }
  const lookForChange = async () => {
    const version = await store.conf.version()
    if (version !== standing.version && version !== refused) lookAgain()
  }
  let looking = Promise.resolve()
  store.bus.subscribe('conf', lookAgain)
  store.bus.onGap(lookAgain)
  const timer = setInterval(() => {
    looking = lookForChange().catch(() => {}) // Redis is away, and others say so
  }, lookMilliseconds).unref()

  return {
    /** What stands without anything stored. */
    environment,
    /** Applies what is stored now; when it answers this pod is not behind any change from before the call. */
    refresh,
    sourceOf(path: string[]): Source {
      const name = path.join('.')
      if (inForce.has(name)) return 'stored'
      return given.has(name) ? 'environment' : 'default'
    },
    /** Called in the turn in which settings changed, with their paths. */
    onChange(handler: Handler): void {
      handlers.push(handler)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      await Promise.allSettled([looking, turn])
    },
  }
}

/** The tree that an environment and what is stored make. */
export function treeOf(environment: Config, stored: Pick<StoredConf, 'values'>): Config {
  const tree = structuredClone(environment)
  for (const { path } of usable(stored)) place(tree, path, stored.values.get(path.join('.')))
  return tree
}

/** What is stored, but for what this release does not know or take. */
function usable({ values }: Pick<StoredConf, 'values'>): Leaf[] {
  return leaves().filter((leaf) => {
    const value = values.get(leaf.path.join('.'))
    return value !== undefined && !leaf.schema.bootstrap && !leafFault(leaf, value)
  })
}
