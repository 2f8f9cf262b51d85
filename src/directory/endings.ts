/** What ends in the directory of resources with a person or a group, so that it never waits for the next of that name. */
import type { Op } from '#adapters/redis/resources.ts'
import type { Deps } from '#src/deps.ts'

/** Leaves everything that somebody owns, or one resource, without an owner: directory admins decide on it then. */
export async function disown({ store }: Pick<Deps, 'store'>, uid: string, only?: string): Promise<void> {
  await store.resources.change((now) => {
    const owned = now.ownedBy(uid).filter(({ id }) => only === undefined || id === only)
    const ops = owned.map((record): Op => ['resources', record.id, { ...record, owner: null }])
    return { ops, value: undefined }
  })
}

/** Takes all links of a group that is no more, or of one that is new under an old name. */
export async function forgetGroup({ store }: Pick<Deps, 'store'>, cn: string): Promise<void> {
  await store.resources.change((now) => {
    const ops = now.linksOf(cn).map(({ id }): Op => ['links', id, undefined])
    return { ops, value: undefined }
  })
}
