type Call = (method: string, path: string, content?: object) => Promise<{ body: { results?: unknown } }>
type Made = { id: string; slug: string; name: string }

/** A resource of `--demo`: below `under`, and open to these groups. */
type Planned = {
  kind: 'site' | 'host' | 'service'
  name: string
  under?: string
  groups?: string[]
  metadata?: Record<string, string | number | boolean>
}

const site = (name: string, tagline: string): Planned => ({ kind: 'site', name, metadata: { tagline } })

function host(name: string, under: string, groups: string[]): Planned {
  return { kind: 'host', name, under, groups, metadata: { address: `${name}.example.org`, sshPort: 22 } }
}

function service(
  name: string,
  under: string,
  [icon, tagline]: [icon: string, tagline: string],
  { groups = [], ...metadata }: { groups?: string[]; isPublic?: boolean; requestable?: boolean } = {},
): Planned {
  const address = `https://${name.toLowerCase().replaceAll(' ', '-')}.example.org`
  return { kind: 'service', name, under, groups, metadata: { address, icon, tagline, ...metadata } }
}

const everybody = { groups: ['company'] }

export const resources: Planned[] = [
  site('Berlin', 'Main office and server room'),
  site('Lisbon', 'Second office'),
  host('build-1', 'berlin', ['engineering']),
  host('build-2', 'berlin', ['engineering']),
  host('files-1', 'berlin', ['operations']),
  host('edge-1', 'lisbon', ['network']),
  service('Intranet', 'files-1', ['web', 'News, rooms and the canteen menu'], { isPublic: true }),
  service('Team chat', 'files-1', ['chat', 'Rooms for every team and project'], everybody),
  service('Team calendar', 'files-1', ['calendar', 'Who is where, and when'], everybody),
  service('Team files', 'files-1', ['files', 'Shared folders with versions'], everybody),
  service('Handbook', 'files-1', ['wiki', 'How we work, from holidays to expenses'], everybody),
  service('Git', 'build-1', ['git', 'Repositories and reviews'], {
    groups: ['engineering'],
    requestable: true,
  }),
  service('Pipelines', 'build-1', ['code', 'Builds, tests and releases'], {
    groups: ['engineering'],
    requestable: true,
  }),
  service('Dashboards', 'build-2', ['monitoring', 'Metrics, logs and traces'], {
    groups: ['reliability'],
    requestable: true,
  }),
  service('Warehouse', 'build-2', ['database', 'Figures of the whole company'], {
    groups: ['machine-learning'],
    requestable: true,
  }),
  service('Expenses', 'files-1', ['chart', 'Receipts in, money out'], {
    groups: ['finance'],
    requestable: true,
  }),
  service('Recruiting', 'files-1', ['people', 'Open positions and candidates'], {
    groups: ['hiring'],
    requestable: true,
  }),
]

/** Sites, hosts and services, and who reaches them, as an ordinary client of the API makes them. */
export async function fillDirectory(call: Call): Promise<void> {
  const all = '/api/directory-admin/resources/'
  const known = ((await call('GET', all)).body.results ?? []) as Made[]
  const idOf = new Map(known.map(({ slug, id }) => [slug, id]))
  for (const { under, groups = [], ...resource } of resources) {
    if (known.some(({ name }) => name === resource.name)) continue
    const parents = under === undefined ? [] : [idOf.get(under)]
    const { body } = await call('POST', all, { description: '', ...resource, parents })
    const { id, slug } = body.results as Made
    idOf.set(slug, id)
    for (const groupCn of groups)
      await call('POST', '/api/directory-admin/groups/', { resourceId: id, groupCn })
  }
}
