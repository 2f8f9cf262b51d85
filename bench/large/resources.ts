import type { Op } from '#adapters/redis/resources.ts'
import type { Deps } from '#src/deps.ts'
import type { ResourceRecord } from '#src/directory/schemas.ts'

/** A fifth of them hosts, the others services with five parents each; a tenth public; two group links on each. */
export const resources = 5_000
export const edges = 20_000
export const links = 10_000
const hosts = resources / 5
const parents = edges / (resources - hosts)
/** Groups of the seed that are linked, each as often as any other. */
const groups = 10_000
const chunk = 500

/** Writes them as the API would, some hundred at once. Places are spread by multiplying with primes. */
export async function seedResources({ store }: Pick<Deps, 'store'>): Promise<void> {
  const ops = [...everything()]
  for (let at = 0; at < ops.length; at += chunk)
    await store.resources.change(() => ({ ops: ops.slice(at, at + chunk), value: undefined }))
}

function* everything(): Generator<Op> {
  for (let n = 0; n < resources; n++) {
    const id = `resource-${n}`
    const made = { created_by: 'bench', created_on: n }
    const kind = n < hosts ? 'host' : 'service'
    const metadata = {
      ...(n % 10 === 0 ? { isPublic: true } : {}),
      ...(n < hosts
        ? { address: `host${n}.example.org` }
        : { port: 443, tagline: `Service ${n} of the bench` }),
    }
    const record: ResourceRecord = {
      ...{ id, kind, name: `Resource ${n}`, slug: id, owner: null, metadata },
      ...{ description: `What resource ${n} is for`, ...made, updated_by: 'bench', updated_on: n },
    }
    yield ['resources', id, record]
    for (let link = 0; link < links / resources; link++) {
      const groupCn = `team${(n * 7919 + link * 5003) % groups}`
      const accessLevel = link === 0 ? 'access' : 'admin'
      yield ['links', `${id}-${link}`, { id: `${id}-${link}`, resourceId: id, groupCn, accessLevel, ...made }]
    }
    if (n < hosts) continue
    const above = new Set(Array.from({ length: parents * 2 }, (_, at) => (n * 31 + at * 1009) % n))
    for (const parent of [...above].slice(0, parents)) {
      const edge = { id: `${id}-below-${parent}`, parentId: `resource-${parent}`, childId: id }
      yield ['edges', edge.id, { ...edge, relation: 'contains', ...made }]
    }
  }
}
